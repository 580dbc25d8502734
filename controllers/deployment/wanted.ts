/** Which deployments should have replicas. Pure. */
import type { Row } from '../../specs/index.ts';

/** Whether this deployment should have replicas now. */
export function isWanted(row: Row<'Deployment'>, service: Row<'Service'> | undefined): boolean {
  if (!service?.spec.rollout.running || row.spec.stopped) return false;
  if (service.deleted_at !== null || row.deleted_at !== null) return false;
  if (row.status.phase === 'Failed' || (row.status.phase === 'Stopped' && row.status.image === null))
    return false;
  return service.spec.rollout.target === row.id || service.status.promoted === row.id;
}
