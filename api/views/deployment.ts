/** Deployment row → resource, with a summary of its replicas. */
import type { Row } from '../../specs/index.ts';
import type { Masks } from '../../specs/mask.ts';
import type { DeploymentResource, ReplicaSummary } from '../../specs/resources.ts';
import type { Reader } from '../store/store.ts';
import { metaView } from './meta.ts';

/**
 * What was said of it was masked as it was written; what has become secret since is hidden here.
 * @param service the one it belongs to; undefined when that is gone
 * @param mask hides secrets in a text
 */
function deploymentView(
  row: Row<'Deployment'>,
  service: Row<'Service'> | undefined,
  replicas: readonly Row<'Replica'>[],
  mask: (text: string) => string,
): DeploymentResource {
  const { spec, status } = row;
  const meta = metaView(row);
  return {
    ...meta,
    conditions: meta.conditions.map((found) => ({ ...found, message: mask(found.message) })),
    service_id: spec.service_id,
    number: spec.number,
    status: status.phase,
    reason: status.reason,
    message: mask(status.message),
    source: spec.source,
    reuse: spec.reuse,
    image: status.image,
    promoted: service?.status.promoted === row.id,
    promoted_at: status.promoted_at,
    epoch: status.epoch,
    failed_epoch: status.failed_epoch,
    replicas: [...replicas]
      .sort((a, b) => a.spec.index - b.spec.index)
      .map((replica) => replicaSummary(replica, mask)),
  };
}

/** Reads what a view of a deployment needs beside its row. */
export async function readDeploymentView(
  { store, masks }: { store: Reader; masks: Pick<Masks, 'text'> },
  row: Row<'Deployment'>,
): Promise<DeploymentResource> {
  const service = await store.get('Service', row.spec.service_id);
  const replicas = await store.list('Replica', { owner: row.id });
  return deploymentView(row, service, replicas, (text) => masks.text(row.spec.project_id, text));
}

function replicaSummary({ id, status }: Row<'Replica'>, mask: (text: string) => string): ReplicaSummary {
  return {
    id,
    phase: status.phase,
    restarts: status.restarts,
    started_at: status.started_at,
    last_exit: status.last_exit,
    probe: status.probe === null ? null : mask(status.probe),
  };
}
