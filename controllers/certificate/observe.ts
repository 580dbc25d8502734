/** Reads everything a pass over one certificate decides on. Reads only. */
import type { Row } from '../../specs/index.ts';
import type { Store } from '../../api/store/store.ts';

export interface Observed {
  /** Whether it is proven that the hostname is served here. */
  verified: boolean;
  /** Those of it, newest first; also those that are being removed. */
  orders: Row<'Order'>[];
}

export interface ObserveDeps {
  store: Store;
}

export async function observe(row: Row<'Certificate'>, { store }: ObserveDeps): Promise<Observed> {
  const { domain_id: domainId } = row.spec;
  const [domain, orders] = await Promise.all([
    domainId === null ? undefined : store.get('Domain', domainId),
    store.list('Order', { owner: row.id }),
  ]);
  return { verified: domainId === null || domain?.status.phase === 'Verified', orders };
}
