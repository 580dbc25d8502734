/** Puts the controllers together: every kind's reconciler with what it needs, and the background work between them. */
import type { Store } from '../../api/store/store.ts';
import type { Vault } from '../../api/store/vault.ts';
import { createBuilds } from '../../controllers/build/builds.ts';
import type { Uploads } from '../../controllers/build/uploads.ts';
import { deploymentReconciler, type DeploymentDeps } from '../../controllers/deployment/reconcile.ts';
import type { Engine } from '../../controllers/engine/engine.ts';
import type { DeploymentLogs } from '../../controllers/logs/deployment-logs.ts';
import type { Followed, Follower } from '../../controllers/logs/follow.ts';
import type { WorkloadLogs } from '../../controllers/logs/workload-logs.ts';
import { leftoversReconciler } from '../../controllers/leftovers/reconcile.ts';
import { projectReconciler } from '../../controllers/project/reconcile.ts';
import { upstreamOf } from '../../controllers/replica/place.ts';
import { createProber, type Ask } from '../../controllers/replica/prober.ts';
import { replicaReconciler, type ReplicaDeps } from '../../controllers/replica/reconcile.ts';
import type { SocketDirs } from '../../controllers/replica/socket-dir.ts';
import { routeSetReconciler } from '../../controllers/route-set/reconcile.ts';
import { Jobs } from '../../controllers/runtime/jobs.ts';
import type { Log } from '../../controllers/runtime/log.ts';
import { startControllers, type Controllers } from '../../controllers/runtime/manager.ts';
import type { Metrics } from '../../controllers/runtime/metrics.ts';
import type {
  ControllerKind,
  ControllerSpec,
  Reconcile,
  Waker,
} from '../../controllers/runtime/reconciler.ts';
import { serviceReconciler } from '../../controllers/service/reconcile.ts';
import { uploadReconciler } from '../../controllers/upload/reconcile.ts';
import type { Ingress, Snapshot } from '../../ingress/index.ts';
import type { Clock, Random } from '../../specs/clock.ts';
import type { Row } from '../../specs/index.ts';
import type { Masks } from '../../specs/mask.ts';
import { routeSetKey, wakes } from './wakes.ts';

export interface World {
  store: Store;
  /** Opens the secrets of workloads. */
  vault: Pick<Vault, 'open'>;
  engine: Engine;
  ingress: Ingress;
  uploads: Pick<Uploads, 'context' | 'remove'>;
  deploymentLogs: Pick<DeploymentLogs, 'append' | 'flush' | 'remove'>;
  workloadLogs: Pick<WorkloadLogs, 'remove' | 'removeAll'>;
  follower: Pick<Follower, 'follow' | 'last' | 'stop'>;
  /** Hide secrets in what is kept and said of a project. */
  masks: Masks;
  clock: Clock;
  random: Random;
  log: Log;
  metrics: Metrics;
  nodeId: string;
  /** Directory of all replica sockets, and who makes those in it that workloads own. */
  socketsDir: string;
  sockets: SocketDirs;
  /** Asks a workload for its health. */
  ask: Ask;
  /** CIDRs of the host's routes. */
  hostRoutes: () => Promise<string[]>;
  appsDomain: string | null;
  control: Snapshot['control'];
  buildLimits: { memoryBytes: number; cpus: number };
}

const buildDeadline = 30 * 60_000;

/** Starts everything. @returns the running controllers; stopping them leaves what they made running */
export function startAll(world: World): Controllers {
  const { store, clock, random, log, metrics } = world;
  const waker = lateWaker();
  const background = startBackground(world, waker);
  const reconcilers = reconcilersOf(world, background);
  const running = startControllers({
    controllers: specs(reconcilers),
    mappings: wakes,
    store,
    clock,
    random,
    log,
    metrics,
  });
  waker.become(running);
  return {
    wake: (kind, id) => running.wake(kind, id),
    resynced: running.resynced,
    async stop() {
      background.routes.close();
      await running.stop();
      background.prober.close();
      await Promise.all([background.buildJobs.close(), background.stopJobs.close()]);
    },
  };
}

/** What goes on between passes, and wakes them. */
function startBackground(
  { engine, ingress, uploads, deploymentLogs, masks, ask, clock, nodeId, buildLimits }: World,
  waker: Waker,
) {
  const wake = (kind: ControllerKind) => (id: string) => waker.wake(kind, id);
  const buildJobs = new Jobs<string>({
    clock,
    deadline: buildDeadline,
    grace: 30_000,
    onSettled: wake('Deployment'),
  });
  const concurrency = { stop: 16 };
  const onStopped = (id: string): void => {
    stopJobs.forget(id);
    waker.wake('Replica', id);
  };
  const stopJobs = new Jobs<void>({
    clock,
    deadline: 60_000,
    grace: 5_000,
    concurrency,
    onSettled: onStopped,
  });
  const builds = createBuilds({
    jobs: buildJobs,
    engine,
    context: (id, paths, time) => uploads.context(id, paths, time),
    log: (id, entry) => deploymentLogs.append(id, entry),
    ...{ masks, clock, nodeId },
    limits: buildLimits,
  });
  const prober = createProber({ ask, clock, onAnswer: wake('Replica') });
  return { buildJobs, stopJobs, builds, prober, routes: routeWaiters(ingress, waker) };
}

type Background = ReturnType<typeof startBackground>;

function reconcilersOf(world: World, background: Background): Record<ControllerKind, Reconcile> {
  const { store, engine, ingress, clock, random, nodeId, socketsDir } = world;
  const { hostRoutes, appsDomain, control, uploads, workloadLogs } = world;
  return {
    Project: projectReconciler({ store, engine, clock, nodeId, hostRoutes }),
    Service: serviceReconciler({
      ...{ store, engine, clock, random },
      removeLogs: (id) => workloadLogs.removeAll(id),
    }),
    Deployment: deploymentReconciler(deploymentDeps(world, background)),
    Replica: replicaReconciler(replicaDeps(world, background)),
    RouteSet: routeSetReconciler({
      ...{ store, ingress, appsDomain, control },
      upstreamOf: (id, listen) => upstreamOf(id, listen, socketsDir),
    }),
    Upload: uploadReconciler({ store, clock, uploads }),
    Leftovers: leftoversReconciler({ store, engine, nodeId, log: world.log }),
  };
}

function deploymentDeps(
  { store, engine, ingress, masks, clock, random, ...world }: World,
  { builds, routes }: Background,
): DeploymentDeps {
  return {
    ...{ store, engine, ingress, builds, masks, clock, random },
    lastOutput: (replica) => world.follower.last(followed(replica, replica.status.container ?? ''), 20),
    log: (id, entry) => world.deploymentLogs.append(id, entry),
    flushLog: (id) => world.deploymentLogs.flush(id),
    async removeLogs({ id, spec }) {
      await world.deploymentLogs.remove(id);
      await world.workloadLogs.remove(spec.service_id, id);
    },
    awaitRoutes: (id) => routes.wait('Deployment', id),
  };
}

function replicaDeps(
  { store, vault, engine, ingress, masks, clock, nodeId, socketsDir, sockets, follower }: World,
  background: Background,
): ReplicaDeps {
  const { prober, stopJobs, routes } = background;
  return {
    ...{ store, vault, engine, ingress, masks, clock, prober, nodeId, socketsDir, sockets },
    probeOf: (id, startedAt) => prober.result(id, startedAt),
    follow: (replica, container) => follower.follow(followed(replica, container)),
    unfollow: (id) => follower.stop(id),
    isStopping: (id) => ['queued', 'running'].includes(stopJobs.find(id)?.state ?? ''),
    stopSoon: (id, container, graceMs) => {
      stopJobs.ensure(id, () => engine.stopReplica(container, graceMs), { group: 'stop' });
    },
    awaitRoutes: (id) => routes.wait('Replica', id),
  };
}

/** Background work is made before the controllers that it wakes. */
function lateWaker(): Waker & { become: (waker: Waker) => void } {
  let target: Waker | undefined;
  return {
    wake: (kind, id) => target?.wake(kind, id),
    become: (waker) => void (target = waker),
  };
}

function followed({ id, spec }: Row<'Replica'>, container: string): Followed {
  const { project_id: projectId, service_id: serviceId, deployment_id: deploymentId } = spec;
  return { replica: id, container, projectId, serviceId, deploymentId };
}

/** Concurrency 1 where a pass must not overlap with one over another key of its kind. Deadlines in milliseconds. */
function specs(reconcilers: Record<ControllerKind, Reconcile>): ControllerSpec[] {
  return [
    { kind: 'Project', reconcile: reconcilers.Project, concurrency: 1, deadline: 60_000 },
    { kind: 'Service', reconcile: reconcilers.Service, concurrency: 4, deadline: 60_000 },
    { kind: 'Deployment', reconcile: reconcilers.Deployment, concurrency: 8, deadline: 60_000 },
    { kind: 'Replica', reconcile: reconcilers.Replica, concurrency: 16, deadline: 120_000 },
    {
      kind: 'RouteSet',
      reconcile: reconcilers.RouteSet,
      concurrency: 1,
      deadline: 30_000,
      singleton: routeSetKey,
    },
    { kind: 'Upload', reconcile: reconcilers.Upload, concurrency: 4, deadline: 60_000 },
    {
      kind: 'Leftovers',
      reconcile: reconcilers.Leftovers,
      concurrency: 1,
      deadline: 300_000,
      singleton: 'all',
    },
  ];
}

/** Who waits for the ingress to have something new to say: woken once each, at its next change. */
function routeWaiters(
  ingress: Ingress,
  waker: Waker,
): { wait: (kind: ControllerKind, id: string) => void; close: () => void } {
  let waiting = new Map<string, ControllerKind>();
  const close = ingress.onChange(() => {
    const due = waiting;
    waiting = new Map();
    for (const [id, kind] of due) waker.wake(kind, id);
  });
  return { wait: (kind, id) => void waiting.set(id, kind), close };
}
