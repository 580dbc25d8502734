/** Values of a service's secrets: sealed and declared in one transaction, so that no name is there without its value. */
import type { Row } from '../../specs/index.ts';
import { nearest } from '../../specs/nearest.ts';
import { ProblemError, type Violation } from '../../specs/problem.ts';
import { mostSecretBytes, mostSecrets, type UpdateSecrets } from '../../specs/requests.ts';
import type { ServiceSpec } from '../../specs/service.ts';
import type { Store, Writer } from '../store/store.ts';
import { invalid, pointerToken } from '../validation.ts';
import { livingService, requireVersion } from './living.ts';
import { dropUnusedSecrets, lastFrozen } from './secret-versions.ts';
import { nameFault, valueFault } from './variable.ts';

/**
 * Declares the names of `set` with these values and takes the names of `unset` away. A value that is there already gets no
 * new version, so that nothing is released for it. Throws `invalid`, `precondition_failed`, `too_large` for more than a
 * service takes, and `conflict` while the service is being deleted.
 */
export function updateSecrets(
  store: Store,
  serviceId: string,
  { set = {}, unset = [] }: UpdateSecrets,
  ifVersion?: number,
): Promise<Row<'Service'>> {
  return store.write(async (writer) => {
    const service = await livingService(writer, serviceId);
    requireVersion(service, ifVersion);
    const violations = violationsOf(service.spec, set, unset);
    if (violations.length > 0) throw invalid(violations);

    const secrets = new Map(Object.entries(service.spec.secrets));
    const frozen = await lastFrozen(writer, serviceId);
    for (const name of unset) secrets.delete(name);
    for (const [name, value] of Object.entries(set)) {
      const ref = { kind: 'env', owner: serviceId, name, project: service.owner } as const;
      secrets.set(name, await writer.seal({ ...ref, value, after: frozen.get(name) ?? 0 }));
    }
    const change = (spec: ServiceSpec) => ({ ...spec, secrets: Object.fromEntries(secrets) });
    const changed = await writer.updateSpec('Service', serviceId, change);
    await requireRoom(writer, service, changed);
    await dropUnusedSecrets(writer, changed);
    return changed;
  });
}

/** What is over the limit already may still shrink. */
async function requireRoom(writer: Writer, before: Row<'Service'>, changed: Row<'Service'>): Promise<void> {
  const versions = await writer.sealedVersions(changed.id, 'env');
  const bytesOf = ({ spec }: Row<'Service'>): number =>
    versions
      .filter(({ name, version }) => Object.hasOwn(spec.secrets, name) && spec.secrets[name] === version)
      .reduce((sum, { bytes }) => sum + bytes, 0);
  const bytes = bytesOf(changed);
  if (bytes <= mostSecretBytes || bytes < bytesOf(before)) return;
  throw new ProblemError(
    'too_large',
    `The secrets of this service would have ${Math.ceil(bytes / 1024)} KiB together; it takes at most ${mostSecretBytes / 1024} KiB. ` +
      'Take some away first, or keep large ones in a volume.',
  );
}

function violationsOf(
  { env, secrets }: ServiceSpec,
  set: Readonly<Record<string, string>>,
  unset: readonly string[],
): Violation[] {
  const names = new Set([...Object.keys(secrets), ...Object.keys(set)]);
  for (const name of unset) names.delete(name);
  return [
    ...Object.entries(set).flatMap(([name, value]) => {
      const isPlain = Object.hasOwn(env, name);
      const message =
        nameFault(name) ??
        valueFault(value) ??
        (isPlain ? 'is a plain variable of this service: take it out of env first' : undefined);
      return message === undefined ? [] : [{ path: `/set/${pointerToken(name)}`, message }];
    }),
    ...unset.flatMap((name, index) => {
      const message = Object.hasOwn(set, name)
        ? 'is in set too'
        : Object.hasOwn(secrets, name)
          ? undefined
          : noSuchSecret(name, Object.keys(secrets));
      return message === undefined ? [] : [{ path: `/unset/${index}`, message }];
    }),
    ...(names.size > mostSecrets
      ? [{ path: '/set', message: `would make ${names.size} secrets; a service has at most ${mostSecrets}` }]
      : []),
  ];
}

function noSuchSecret(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === undefined
    ? 'is no secret of this service'
    : `is no secret of this service; did you mean ${meant}?`;
}
