/** Reads everything a pass over one replica decides on. Reads only. */
import type { Ingress } from '../../ingress/index.ts';
import type { Row } from '../../specs/index.ts';
import type { Store } from '../../api/store/store.ts';
import type { ContainerState, Engine } from '../engine/engine.ts';
import type { ProbeResult } from './prober.ts';

export interface Observed {
  deployment: Row<'Deployment'> | undefined;
  service: Row<'Service'> | undefined;
  project: Row<'Project'> | undefined;
  container: ContainerState | undefined;
  probe: ProbeResult | undefined;
  /** Whether an ingress worker may still send requests to it. True when that is not known. */
  routed: boolean;
  /** Whether no request of it is under way. */
  idle: boolean;
  /** Whether its container is being stopped right now. */
  stopping: boolean;
}

export interface ObserveDeps {
  store: Store;
  engine: Pick<Engine, 'inspectReplica' | 'listReplicas'>;
  ingress: Pick<Ingress, 'isRouted' | 'isIdle'>;
  probeOf: (replicaId: string, startedAt: string) => ProbeResult | undefined;
  isStopping: (replicaId: string) => boolean;
  /** Labels that every container of this node carries. */
  nodeId: string;
}

export async function observe(row: Row<'Replica'>, deps: ObserveDeps): Promise<Observed> {
  const [deployment, service, project, container] = await Promise.all([
    deps.store.get('Deployment', row.spec.deployment_id),
    deps.store.get('Service', row.spec.service_id),
    deps.store.get('Project', row.spec.project_id),
    findContainer(row, deps),
  ]);
  const startedAt = container?.state === 'running' ? container.startedAt : null;
  return {
    deployment,
    service,
    project,
    container,
    probe: startedAt === null ? undefined : deps.probeOf(row.id, startedAt),
    routed: deps.ingress.isRouted(row.id),
    idle: deps.ingress.isIdle(row.id),
    stopping: deps.isStopping(row.id),
  };
}

/** By id where it is on record, else by label: a crash between creating it and writing that down loses nothing. */
async function findContainer(
  row: Row<'Replica'>,
  { engine, nodeId }: ObserveDeps,
): Promise<ContainerState | undefined> {
  if (row.status.container !== null) {
    const known = await engine.inspectReplica(row.status.container);
    if (known) return known;
  }
  const [found] = await engine.listReplicas({ 'svc.node': nodeId, 'svc.replica': row.id });
  return found;
}
