/** Domain row → resource, with the challenge that proves whose it is. */
import { challengePath } from '../../specs/domain.ts';
import type { Row } from '../../specs/index.ts';
import type { DomainResource } from '../../specs/resources.ts';
import type { ApiSettings } from '../context.ts';
import type { Reader } from '../store/store.ts';
import { certificateOf, certificateView, isServed } from './certificate.ts';
import { metaView } from './meta.ts';

type Settings = Pick<ApiSettings, 'challengePort'>;

/** Reads how its certificate stands. */
export async function readDomainView(
  reader: Reader,
  row: Row<'Domain'>,
  settings: Settings,
): Promise<DomainResource> {
  return domainView(row, await certificateOf(reader, row.id), settings);
}

function domainView(
  row: Row<'Domain'>,
  certificate: Row<'Certificate'> | undefined,
  settings: Settings,
): DomainResource {
  const { spec, status } = row;
  return {
    ...metaView(row),
    domain_id: row.id,
    service_id: spec.service_id,
    project_id: spec.project_id,
    hostname: spec.hostname,
    status: status.phase,
    last_error: status.last_error,
    verified_at: status.verified_at,
    checked_at: status.checked_at,
    challenge: {
      url: `${originOf(spec.hostname, settings)}${challengePath(spec.token)}`,
      token: spec.token,
    },
    certificate: certificate === undefined ? null : certificateView(certificate),
  };
}

/** Where a service is served because its domains were verified, oldest first; over TLS where there is a certificate. */
export async function verifiedOrigins(
  reader: Reader,
  serviceId: string,
  settings: Pick<ApiSettings, 'challengePort' | 'publicHttpsPort'>,
): Promise<string[]> {
  const domains = await reader.list('Domain', { owner: serviceId });
  const verified = domains.filter(
    ({ status, deleted_at: deleted }) => status.phase === 'Verified' && deleted === null,
  );
  const origins = verified.reverse().map(async ({ id, spec: { hostname } }) => {
    const { publicHttpsPort: port } = settings;
    const secure = port !== null && isServed(await certificateOf(reader, id));
    return secure ? secureOriginOf(hostname, port) : originOf(hostname, settings);
  });
  return Promise.all(origins);
}

/** How the world reaches a hostname of this node over plain HTTP. */
export function originOf(hostname: string, { challengePort }: Settings): string {
  return `http://${hostname}${challengePort === 80 ? '' : `:${challengePort}`}`;
}

/** The same over TLS. */
export function secureOriginOf(hostname: string, port: number): string {
  return `https://${hostname}${port === 443 ? '' : `:${port}`}`;
}
