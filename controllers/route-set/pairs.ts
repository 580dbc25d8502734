/** Puts the certificates that a route set names where the ingress workers read them, before they hear of them. */
import { SealedValueError, type Vault } from '../../api/store/vault.ts';
import type { Ingress } from '../../ingress/index.ts';
import { pairId } from '../../specs/certificate.ts';
import type { Row } from '../../specs/index.ts';
import type { Log } from '../runtime/log.ts';
import type { RouteSet } from './plan.ts';

export interface PairDeps {
  ingress: Pick<Ingress, 'hasCertificate' | 'installCertificate'>;
  vault: Pick<Vault, 'open'>;
  log: Log;
}

/** @returns the route set without those whose key cannot be had: one lost key must not hold up all routes */
export async function installPairs(
  routes: RouteSet,
  rows: readonly Row<'Certificate'>[],
  deps: PairDeps,
): Promise<RouteSet> {
  const byPair = new Map(rows.map((row) => [pairId(row.id, row.status.key_version ?? 0), row]));
  const certificates: Record<string, string> = {};
  for (const [hostname, id] of Object.entries(routes.certificates ?? {})) {
    if (deps.ingress.hasCertificate(id) || (await install(id, byPair.get(id), deps)))
      certificates[hostname] = id;
  }
  return { ...routes, certificates };
}

async function install(
  id: string,
  row: Row<'Certificate'> | undefined,
  { ingress, vault, log }: PairDeps,
): Promise<boolean> {
  const { chain, key_version: version } = row?.status ?? {};
  if (row === undefined || typeof chain !== 'string' || typeof version !== 'number') return false;
  try {
    const key = await vault.open({ kind: 'certificate-key', owner: row.id, name: '', version });
    await ingress.installCertificate(id, { chain, key });
    return true;
  } catch (error) {
    if (!(error instanceof SealedValueError)) throw error;
    const { hostname } = row.spec;
    log.error({ hostname, err: error }, 'certificate not served: its key cannot be opened');
    return false;
  }
}
