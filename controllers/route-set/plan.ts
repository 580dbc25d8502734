/**
 * Builds the whole route set from what is promoted. Pure.
 *
 * A replica is routed while its deployment is promoted, it is of the epoch that was promoted, it is ready, and nobody
 * asked that it go. A replica that is only being gated is bridged, so that the gate can reach it, and never routed.
 */
import type { Row } from '../../specs/index.ts';
import type { BridgeEntry, ServiceRoute, Snapshot, Upstream } from '../../ingress/index.ts';
import type { Observed } from './observe.ts';

export interface RouteSettings {
  /** Services are served at `<service>.<project>.<this>`; null: nowhere. */
  appsDomain: string | null;
  control: Snapshot['control'];
  /** Where a replica's socket is. */
  upstreamOf: (replicaId: string, listen: 'tcp' | 'socket') => Upstream;
}

export type RouteSet = Omit<Snapshot, 'revision'>;

export function plan(observed: Observed, settings: RouteSettings): RouteSet {
  const projects = new Map(observed.projects.map((row) => [row.id, row]));
  const deployments = new Map(observed.deployments.map((row) => [row.id, row]));
  const hosts: Record<string, string> = {};
  const services: Record<string, ServiceRoute> = {};
  const upstreams: Record<string, Upstream> = {};

  const byDeployment = Map.groupBy(observed.replicas, ({ spec }) => spec.deployment_id);
  for (const service of observed.services) {
    const project = projects.get(service.owner ?? '');
    // Nothing new reaches one that is being deleted, and its name is free at once; requests under way go on, as in a stop,
    // for its replicas stay bridged until they have drained.
    if (!project || project.deleted_at !== null || service.deleted_at !== null) continue;
    const deployment = deployments.get(service.status.promoted ?? '');
    const routed = deployment ? routable(service, deployment, byDeployment.get(deployment.id) ?? []) : [];
    services[service.id] = {
      name: service.name,
      project: project.name,
      running: service.spec.rollout.running,
      replicas: routed.map(({ id }) => id),
    };
    for (const { id } of routed)
      upstreams[id] = settings.upstreamOf(id, deployment?.spec.workload.listen ?? 'tcp');
    if (settings.appsDomain !== null)
      hosts[`${service.name}.${project.name}.${settings.appsDomain}`] = service.id;
  }
  return {
    hosts,
    services,
    upstreams,
    bridges: bridges(observed.replicas, deployments, settings),
    control: settings.control,
  };
}

function routable(
  service: Row<'Service'>,
  deployment: Row<'Deployment'>,
  replicas: Row<'Replica'>[],
): Row<'Replica'>[] {
  if (!service.spec.rollout.running || deployment.spec.stopped) return [];
  return replicas
    .filter(
      ({ spec, status, deleted_at: deleted }) =>
        spec.epoch === deployment.status.epoch && status.phase === 'Ready' && deleted === null,
    )
    .sort((a, b) => a.spec.index - b.spec.index);
}

function bridges(
  replicas: Row<'Replica'>[],
  deployments: Map<string, Row<'Deployment'>>,
  settings: RouteSettings,
): Record<string, BridgeEntry> {
  const entries: Record<string, BridgeEntry> = {};
  for (const replica of replicas) {
    const workload = deployments.get(replica.spec.deployment_id)?.spec.workload;
    if (workload?.listen !== 'tcp') continue;
    const { socket } = settings.upstreamOf(replica.id, 'tcp');
    entries[replica.id] = { socket, address: replica.spec.address, port: workload.port };
  }
  return entries;
}
