/** Deployment row → resource, with a summary of its replicas. */
import type { Role } from '../../specs/account.ts';
import type { Row } from '../../specs/index.ts';
import type { Masks } from '../../specs/mask.ts';
import type { DeploymentResource, ReplicaSummary } from '../../specs/resources.ts';
import { rollbackFault } from '../../specs/rollback.ts';
import type { Workload } from '../../specs/workload.ts';
import type { ApiContext } from '../context.ts';
import { readMountable } from '../mountable.ts';
import type { Reader } from '../store/store.ts';
import { visibleEnvironment } from './environment.ts';
import { metaView } from './meta.ts';

interface Sources {
  store: Reader;
  masks: Pick<Masks, 'text'>;
  settings: Pick<ApiContext['settings'], 'hostPaths'>;
}

/**
 * What was said of it was masked as it was written; what has become secret since is hidden here.
 * @param service the one it belongs to; undefined when that is gone
 * @param mask hides secrets in a text
 * @param role of who asks, in the project
 */
function deploymentView(
  row: Row<'Deployment'>,
  service: Row<'Service'> | undefined,
  replicas: readonly Row<'Replica'>[],
  mask: (text: string) => string,
  role: Role | undefined,
  rollback: DeploymentResource['rollback'],
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
    commit: status.commit,
    digest: status.digest,
    receipt: status.receipt,
    watched_until: service?.status.bake?.deployment === row.id ? service.status.bake.until : null,
    ...workloadView(spec.workload, role),
    rollback,
    promoted: service?.status.promoted === row.id,
    promoted_at: status.promoted_at,
    epoch: status.epoch,
    failed_epoch: status.failed_epoch,
    replicas: [...replicas]
      .sort((a, b) => a.spec.index - b.spec.index)
      .map((replica) => replicaSummary(replica, mask)),
  };
}

/**
 * Reads what a view of a deployment needs beside its row.
 * @param role of who asks, in the project: values of the environment are shown from Operator on
 */
export async function readDeploymentView(
  { store, masks, settings }: Sources,
  row: Row<'Deployment'>,
  role: Role | undefined,
): Promise<DeploymentResource> {
  const service = await store.get('Service', row.spec.service_id);
  const replicas = await store.list('Replica', { owner: row.id });
  const rollback = await rollbackView(row, service, { store, settings });
  const mask = (text: string): string => masks.text(row.spec.project_id, text);
  return deploymentView(row, service, replicas, mask, role, rollback);
}

/** What it runs, as it was frozen. */
function workloadView({ command, volumes, ...workload }: Workload, role: Role | undefined) {
  return {
    ...workload,
    env: visibleEnvironment(workload.env, role),
    command: command ?? null,
    volumes: volumes ?? [],
  };
}

async function rollbackView(
  row: Row<'Deployment'>,
  service: Row<'Service'> | undefined,
  { store, settings }: Pick<Sources, 'store' | 'settings'>,
): Promise<DeploymentResource['rollback']> {
  if (!service) return { possible: false, reason: 'Its service is gone.' };
  const mountable = row.spec.workload.volumes
    ? await readMountable(store, service, settings.hostPaths)
    : { volumes: [], hostPaths: [] };
  const reason = rollbackFault(row, service.spec.rollout, mountable);
  return { possible: reason === undefined, reason: reason ?? null };
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
