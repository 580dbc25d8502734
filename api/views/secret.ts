/** Declared secrets of a service → resources: names, and since when each has its value. */
import type { Row } from '../../specs/index.ts';
import type { SecretResource } from '../../specs/resources.ts';
import type { Vault } from '../store/vault.ts';

/** @param sealed what the vault holds for the service */
export function secretViews(
  { spec }: Row<'Service'>,
  sealed: Awaited<ReturnType<Vault['list']>>,
): SecretResource[] {
  // A name that was taken away and declared again has no value, although an earlier deployment still has one.
  const times = new Map(sealed.map((value) => [`${value.name}/${value.version}`, value.created_at]));
  return Object.entries(spec.secrets).map(([name, version]) => ({
    name,
    version,
    updated_at: times.get(`${name}/${version}`) ?? null,
  }));
}
