/** Reads what a pass over one domain decides on. Reads only. */
import type { Ingress } from '../../ingress/index.ts';
import { challengePath } from '../../specs/domain.ts';
import type { Row } from '../../specs/index.ts';
import type { Store } from '../../api/store/store.ts';

export interface Observed {
  /** Every ingress worker answers the challenge on the hostname. */
  isAnswered: boolean;
  /** Its certificates. Read only while it is being deleted. */
  certificates: Row<'Certificate'>[];
}

export interface ObserveDeps {
  store: Store;
  ingress: Pick<Ingress, 'applied'>;
}

export async function observe(row: Row<'Domain'>, { store, ingress }: ObserveDeps): Promise<Observed> {
  const { hostname, token } = row.spec;
  const answers = ingress.applied()?.answers?.[hostname];
  const certificates = row.deleted_at === null ? [] : await store.list('Certificate', { owner: row.id });
  return { isAnswered: answers?.[challengePath(token)] === token, certificates };
}
