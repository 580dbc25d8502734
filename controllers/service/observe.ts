/** Reads everything a pass over one service decides on. Reads only. */
import type { Row } from '../../specs/index.ts';
import type { Store } from '../../api/store/store.ts';

export interface Observed {
  /** All deployments of the service, newest first. */
  deployments: Row<'Deployment'>[];
  /** Ready replicas of the promoted deployment that are routed to; those of a restart that is being gated are not. */
  ready: number;
  /** What else is left of it. Read only while it is being deleted. */
  replicas: Row<'Replica'>[];
  uploads: Row<'Upload'>[];
}

export interface ObserveDeps {
  store: Store;
}

export async function observe(row: Row<'Service'>, { store }: ObserveDeps): Promise<Observed> {
  const deployments = await store.list('Deployment', { owner: row.id });
  if (row.deleted_at !== null) {
    const [uploads, all] = await Promise.all([
      store.list('Upload', { owner: row.id }),
      store.list('Replica'),
    ]);
    return { deployments, uploads, replicas: all.filter(({ spec }) => spec.service_id === row.id), ready: 0 };
  }
  const { promoted } = row.status;
  const replicas = promoted === null ? [] : await store.list('Replica', { owner: promoted });
  const epoch = deployments.find(({ id }) => id === promoted)?.status.epoch;
  const ready = replicas.filter(
    ({ spec, status, deleted_at: deleted }) =>
      spec.epoch === epoch && status.phase === 'Ready' && deleted === null,
  );
  return { deployments, ready: ready.length, replicas: [], uploads: [] };
}
