/** The deploy key of a project, as it is shown. */
import type { DeployKeyResource } from '../../specs/resources.ts';
import type { Section } from './kind.ts';
import { facts, moment } from './sections.ts';

export function deployKeyFacts(key: DeployKeyResource, now: number): Section {
  return facts({
    Type: `${key.type} (${key.bits} bits)`,
    Fingerprint: key.fingerprint,
    'Public key': key.public_key,
    Created: moment(key.created_at, now),
    Id: key.id,
  });
}
