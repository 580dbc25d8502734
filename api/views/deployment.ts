/** Deployment row → resource, with a summary of its replicas. */
import type { Row } from '../../specs/index.ts';
import type { DeploymentResource, ReplicaSummary } from '../../specs/resources.ts';
import type { Reader } from '../store/store.ts';
import { metaView } from './meta.ts';

/** @param service the one it belongs to; undefined when that is gone */
function deploymentView(
  row: Row<'Deployment'>,
  service: Row<'Service'> | undefined,
  replicas: readonly Row<'Replica'>[],
): DeploymentResource {
  const { spec, status } = row;
  return {
    ...metaView(row),
    service_id: spec.service_id,
    number: spec.number,
    status: status.phase,
    reason: status.reason,
    message: status.message,
    source: spec.source,
    image: status.image,
    promoted: service?.status.promoted === row.id,
    promoted_at: status.promoted_at,
    epoch: status.epoch,
    failed_epoch: status.failed_epoch,
    replicas: [...replicas].sort((a, b) => a.spec.index - b.spec.index).map(replicaSummary),
  };
}

/** Reads what a view of a deployment needs beside its row. */
export async function readDeploymentView(
  reader: Reader,
  row: Row<'Deployment'>,
): Promise<DeploymentResource> {
  const service = await reader.get('Service', row.spec.service_id);
  return deploymentView(row, service, await reader.list('Replica', { owner: row.id }));
}

function replicaSummary({ id, status }: Row<'Replica'>): ReplicaSummary {
  return {
    id,
    phase: status.phase,
    restarts: status.restarts,
    started_at: status.started_at,
    last_exit: status.last_exit,
    probe: status.probe,
  };
}
