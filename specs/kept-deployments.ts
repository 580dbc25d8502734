/** Which deployments of a service keep their images: the one place that says what may be rolled back to. Pure. */
import { isSettled } from './deployment.ts';
import type { Row } from './index.ts';

/**
 * Deployments whose images are needed whatever else is decided: what serves, what served before, what is wanted, what stands
 * by while the newest is watched, and what runs of jobs run in.
 * @param needed ids of deployments that runs under way need
 */
export function pinnedDeployments(
  { spec, status }: Pick<Row<'Service'>, 'spec' | 'status'>,
  needed: readonly string[],
): ReadonlySet<string | null | undefined> {
  const { promoted, previous, bake } = status;
  return new Set([promoted, previous, spec.rollout.target, bake?.deployment, bake?.previous, ...needed]);
}

/**
 * Those that are over and give their image up: all but the pinned ones and the newest `release.keep` that once served. Their rows
 * stay, as history.
 */
export function dispensable(
  service: Pick<Row<'Service'>, 'spec' | 'status'>,
  deployments: readonly Row<'Deployment'>[],
  needed: readonly string[],
): Row<'Deployment'>[] {
  const pinned = pinnedDeployments(service, needed);
  const settled = deployments.filter(
    ({ id, status }) => isSettled(status.phase) && status.phase !== 'Healthy' && !pinned.has(id),
  );
  const served = settled
    .filter(({ status }) => status.phase !== 'Failed' && status.promoted_at !== null && status.image !== null)
    .sort((a, b) => (b.status.promoted_at ?? '').localeCompare(a.status.promoted_at ?? ''));
  const kept = new Set(served.slice(0, service.spec.release.keep).map(({ id }) => id));
  return settled.filter(({ id }) => !kept.has(id));
}
