/** Reads everything a pass over one challenge decides on. Reads only. */
import type { Ingress } from '../../ingress/index.ts';
import { acmeChallengePath } from '../../specs/certificate.ts';
import type { Row } from '../../specs/index.ts';
import type { Acme, AcmeAuthorization } from '../acme/acme.ts';

export interface Observed {
  /** Whether every ingress worker answers it. */
  answered: boolean;
  /** At the authority; asked only once it is answered, and not after its end. */
  authorization: AcmeAuthorization | undefined;
}

export interface ObserveDeps {
  ingress: Pick<Ingress, 'applied'>;
  acme: Pick<Acme, 'authorization'>;
}

export async function observe(
  { spec, status, deleted_at: deleted }: Row<'Challenge'>,
  { ingress, acme }: ObserveDeps,
  signal: AbortSignal,
): Promise<Observed> {
  const text = ingress.applied()?.answers?.[spec.hostname]?.[acmeChallengePath(spec.token)];
  const answered = text === spec.key_authorization;
  const open = deleted === null && (status.phase === 'Presented' || (status.phase === 'Pending' && answered));
  if (!open) return { answered, authorization: undefined };
  const authorization = await acme.authorization(
    { directory: spec.directory, signal },
    spec.authorization_url,
  );
  return { answered, authorization };
}
