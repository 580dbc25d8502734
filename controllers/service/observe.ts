/** Reads everything a pass over one service decides on. Reads only. */
import type { Row } from '../../specs/index.ts';
import type { Store } from '../../api/store/store.ts';

export interface Observed {
  /** All deployments of the service, newest first. */
  deployments: Row<'Deployment'>[];
  /** Ready replicas of the promoted deployment that are routed to; those of a restart that is being gated are not. */
  ready: number;
}

export interface ObserveDeps {
  store: Store;
}

export async function observe(row: Row<'Service'>, { store }: ObserveDeps): Promise<Observed> {
  const { promoted } = row.status;
  const [deployments, replicas] = await Promise.all([
    store.list('Deployment', { owner: row.id }),
    promoted === null ? [] : store.list('Replica', { owner: promoted }),
  ]);
  const epoch = deployments.find(({ id }) => id === promoted)?.status.epoch;
  const ready = replicas.filter(
    ({ spec, status, deleted_at: deleted }) =>
      spec.epoch === epoch && status.phase === 'Ready' && deleted === null,
  );
  return { deployments, ready: ready.length };
}
