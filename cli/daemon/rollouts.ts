/** Puts together what deployments and their replicas need of the node. */
import type { Store } from '../../api/store/store.ts';
import type { Vault } from '../../api/store/vault.ts';
import type { DeploymentDeps } from '../../controllers/deployment/reconcile.ts';
import type { Engine } from '../../controllers/engine/engine.ts';
import type { DeploymentLogs } from '../../controllers/logs/deployment-logs.ts';
import type { Followed, Follower } from '../../controllers/logs/follow.ts';
import { runStart } from '../../controllers/logs/runs.ts';
import type { WorkloadLogs } from '../../controllers/logs/workload-logs.ts';
import type { Prober } from '../../controllers/replica/prober.ts';
import type { ReplicaDeps } from '../../controllers/replica/reconcile.ts';
import type { SocketDirs } from '../../controllers/replica/socket-dir.ts';
import type { Jobs } from '../../controllers/runtime/jobs.ts';
import type { RoutesView } from '../../controllers/route-set/coming.ts';
import type { ControllerKind } from '../../controllers/runtime/reconciler.ts';
import type { Clock, Random } from '../../specs/clock.ts';
import type { EventRecorder } from '../../specs/event.ts';
import type { HostPath } from '../../specs/host-path.ts';
import type { Row } from '../../specs/index.ts';
import type { Masks } from '../../specs/mask.ts';
import { lastLines, type RunWorld } from './runs.ts';

/** What they take of the node. */
export interface RolloutWorld {
  store: Store;
  /** Opens the secrets of workloads. */
  vault: Pick<Vault, 'open'>;
  engine: Engine;
  ingress: RoutesView;
  deploymentLogs: Pick<DeploymentLogs, 'append' | 'flush' | 'remove'>;
  workloadLogs: Pick<WorkloadLogs, 'remove' | 'removeAll'>;
  runLogs: RunWorld['runLogs'];
  follower: Pick<Follower, 'follow' | 'last' | 'stop'>;
  /** Hide secrets in what is kept and said of a project. */
  masks: Masks;
  /** Notes what was done, for people. */
  events: EventRecorder;
  clock: Clock;
  random: Random;
  nodeId: string;
  /** Directory of all replica sockets, and who makes those in it that workloads own. */
  socketsDir: string;
  sockets: SocketDirs;
  /** Directories of the host that workloads may be given. */
  hostPaths: readonly HostPath[];
  /** What is wrong with one of them now. */
  hostPathFault: ReplicaDeps['hostPathFault'];
}

/** What goes on between their passes. */
interface Background {
  builds: DeploymentDeps['builds'];
  prober: Prober;
  /** Stops of containers, by the id of what they belong to. */
  stopJobs: Jobs<void>;
  routes: { wait: (kind: ControllerKind, id: string) => void };
}

/** What the reconciler of deployments needs. */
export function deploymentDeps(
  world: RolloutWorld,
  { builds, routes }: Pick<Background, 'builds' | 'routes'>,
): DeploymentDeps {
  const { store, engine, ingress, masks, events, clock, random } = world;
  return {
    ...{ store, engine, ingress, builds, masks, events, clock, random },
    lastOutput: (replica) =>
      world.follower.last(followed(replica, replica.status.container ?? '', replica.status.started_at), 20),
    lastLines: (run) => lastLines(run, world),
    log: (id, entry) => world.deploymentLogs.append(id, entry),
    flushLog: (id) => world.deploymentLogs.flush(id),
    async removeLogs({ id, spec }) {
      await world.deploymentLogs.remove(id);
      await world.workloadLogs.remove(spec.service_id, id);
    },
    awaitRoutes: (id) => routes.wait('Deployment', id),
  };
}

/** What the reconciler of replicas needs. */
export function replicaDeps(
  {
    store,
    vault,
    engine,
    ingress,
    masks,
    events,
    clock,
    nodeId,
    socketsDir,
    sockets,
    follower,
    ...world
  }: RolloutWorld,
  background: Omit<Background, 'builds'>,
): ReplicaDeps {
  const { prober, stopJobs, routes } = background;
  return {
    ...{ store, vault, engine, ingress, masks, events, clock, prober, nodeId, socketsDir, sockets },
    ...{ random: world.random, hostPaths: world.hostPaths, hostPathFault: world.hostPathFault },
    probeOf: (id, startedAt) => prober.result(id, startedAt),
    follow: (replica, container, startedAt) => follower.follow(followed(replica, container, startedAt)),
    unfollow: (id) => follower.stop(id),
    isStopping: (id) => ['queued', 'running'].includes(stopJobs.find(id)?.state ?? ''),
    stopSoon: (id, container, graceMs) => {
      stopJobs.ensure(id, () => engine.stopReplica(container, graceMs), { group: 'stop' });
    },
    awaitRoutes: (id) => routes.wait('Replica', id),
  };
}

/** @param startedAt when the run that it is in began, as the engine says */
function followed(
  { id, spec, status }: Row<'Replica'>,
  container: string,
  startedAt: string | null,
): Followed {
  const { project_id: projectId, service_id: serviceId, deployment_id: deploymentId } = spec;
  const run = startedAt === null ? {} : { run: runStart(startedAt, status.last_exit?.at ?? null) };
  return { replica: id, container, projectId, serviceId, deploymentId, ...run };
}
