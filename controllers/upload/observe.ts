/** Reads who still needs an upload. Reads only. */
import { uploadOf } from '../../specs/deployment.ts';
import type { Row } from '../../specs/index.ts';
import type { Store } from '../../api/store/store.ts';

export interface Observed {
  /** Deployments that are built from it; not those that take over the image of one. */
  users: Row<'Deployment'>[];
}

export interface ObserveDeps {
  store: Store;
}

export async function observe(row: Row<'Upload'>, { store }: ObserveDeps): Promise<Observed> {
  const deployments = await store.list('Deployment', { owner: row.spec.service_id });
  return {
    users: deployments.filter(
      ({ spec }) => spec.reuse === null && uploadOf(spec.source)?.upload_id === row.id,
    ),
  };
}
