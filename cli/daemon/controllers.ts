/** Puts the controllers together: every kind's reconciler with what it needs, and the background work between them. */
import { createBuilds } from '../../controllers/build/builds.ts';
import { cloneGroup, pullGroup } from '../../controllers/build/groups.ts';
import type { Uploads } from '../../controllers/build/uploads.ts';
import { deploymentReconciler } from '../../controllers/deployment/reconcile.ts';
import { recordSource } from '../../controllers/deployment/record.ts';
import type { Look } from '../../controllers/domain/look.ts';
import { domainReconciler } from '../../controllers/domain/reconcile.ts';
import { jobReconciler } from '../../controllers/job/reconcile.ts';
import { gcReconciler, type GcDeps } from '../../controllers/gc/reconcile.ts';
import type { Clones } from '../../controllers/git/clone.ts';
import type { HostNetwork } from '../../controllers/project/host-network.ts';
import { projectReconciler } from '../../controllers/project/reconcile.ts';
import { credentialsOf } from '../../controllers/pull/credentials.ts';
import { upstreamOf } from '../../controllers/replica/place.ts';
import { createProber, type Ask } from '../../controllers/replica/prober.ts';
import { replicaReconciler } from '../../controllers/replica/reconcile.ts';
import { createComing, withComing } from '../../controllers/route-set/coming.ts';
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
import { volumeReconciler } from '../../controllers/volume/reconcile.ts';
import type { Ingress, Snapshot } from '../../ingress/index.ts';
import { isId } from '../../specs/meta.ts';
import { deploymentDeps, replicaDeps, type RolloutWorld } from './rollouts.ts';
import { startRuns } from './runs.ts';
import { certificateControllers, certificateWakes, type Issuing } from './certificates.ts';
import { gcKey } from './gc.ts';
import { routeSetKey, wakes } from './wakes.ts';

export interface World extends RolloutWorld {
  ingress: Ingress;
  /** What collects garbage. */
  garbage: GcDeps;
  /** Throws while a disk of the node is below its floor. */
  requireRoom: () => Promise<void>;
  /** How certificates are asked for. */
  issuing: Issuing;
  uploads: Pick<Uploads, 'context' | 'remove'>;
  clones: Clones;
  log: Log;
  metrics: Metrics;
  /** Asks a workload for its health. */
  ask: Ask;
  host: HostNetwork;
  /** Looks at a hostname as the world sees it. */
  look: Look;
  /** Public addresses of this node, as far as it knows them. */
  ownAddresses: () => string[];
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
    controllers: [...specs(reconcilers), ...certificates(world, background)],
    mappings: [...wakes, ...certificateWakes],
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
      await Promise.all([background.buildJobs.close(), background.stopJobs.close(), background.runs.close()]);
    },
  };
}

/** What goes on between passes, and wakes them. */
function startBackground(world: World, waker: Waker) {
  const { store, vault, engine, ingress, uploads, deploymentLogs, masks, ask, clock, nodeId, buildLimits } =
    world;
  const wake = (kind: ControllerKind) => (id: string) => waker.wake(kind, id);
  const buildJobs = new Jobs<string>({
    clock,
    deadline: buildDeadline,
    grace: 30_000,
    concurrency: { [pullGroup]: 3, [cloneGroup]: 3 },
    onSettled: wake('Deployment'),
  });
  const concurrency = { stop: 16 };
  const onStopped = (id: string): void => {
    stopJobs.forget(id);
    waker.wake(isId('run', id) ? 'Run' : 'Replica', id);
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
    credentials: credentialsOf({ store, vault }),
    recordDigest: ({ id }, digest) => recordSource(store, id, { digest }),
    clones: world.clones,
    recordCommit: ({ id }, commit) => recordSource(store, id, { commit }),
    ...{ masks, clock, nodeId },
    limits: buildLimits,
  });
  const prober = createProber({ ask, clock, onAnswer: wake('Replica') });
  const runs = startRuns(world, stopJobs, wake('Run'));
  return { buildJobs, stopJobs, builds, prober, runs, routes: routeWaiters(ingress, waker) };
}

type Background = ReturnType<typeof startBackground>;

function certificates({ issuing, ...world }: World, { routes }: Background): ControllerSpec[] {
  const controlDomain = world.control?.host ?? null;
  const awaitRoutes = (id: string): void => routes.wait('Challenge', id);
  return certificateControllers({ ...world, ...issuing, controlDomain, awaitRoutes });
}

type Composed = Exclude<ControllerKind, 'CertificateSet' | 'Certificate' | 'Order' | 'Challenge'>;

function reconcilersOf(world: World, background: Background): Record<Composed, Reconcile> {
  const { store, engine, ingress, clock, random, nodeId, socketsDir } = world;
  const coming = createComing();
  const rollouts = { ...world, ingress: withComing(ingress, coming) };
  const { host, appsDomain, control, uploads, workloadLogs } = world;
  return {
    Project: projectReconciler({ store, engine, clock, nodeId, host, events: world.events }),
    Service: serviceReconciler({
      ...{ store, engine, clock, random, events: world.events },
      removeLogs: (id) => workloadLogs.removeAll(id),
    }),
    Deployment: deploymentReconciler(deploymentDeps(rollouts, background)),
    Replica: replicaReconciler(replicaDeps(rollouts, background)),
    RouteSet: routeSetReconciler({
      ...{ store, vault: world.vault, ingress, coming, log: world.log, appsDomain, control },
      upstreamOf: (id, listen) => upstreamOf(id, listen, socketsDir),
    }),
    Job: jobReconciler({ store, engine, clock, random, events: world.events }),
    Run: background.runs.reconcile,
    Upload: uploadReconciler({ store, clock, uploads }),
    Volume: volumeReconciler({ store, engine, clock, nodeId }),
    Domain: domainReconciler({
      ...{ store, ingress, clock, events: world.events, look: world.look },
      ownAddresses: world.ownAddresses,
      awaitRoutes: (id) => background.routes.wait('Domain', id),
    }),
    Gc: gcReconciler(world.garbage),
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

/** Concurrency 1 where a pass must not overlap with one over another key of its kind. Deadlines in milliseconds. */
function specs(reconcilers: Record<Composed, Reconcile>): ControllerSpec[] {
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
    { kind: 'Volume', reconcile: reconcilers.Volume, concurrency: 4, deadline: 60_000 },
    { kind: 'Job', reconcile: reconcilers.Job, concurrency: 8, deadline: 30_000 },
    { kind: 'Run', reconcile: reconcilers.Run, concurrency: 16, deadline: 120_000 },
    { kind: 'Domain', reconcile: reconcilers.Domain, concurrency: 8, deadline: 30_000 },
    {
      kind: 'Gc',
      reconcile: reconcilers.Gc,
      concurrency: 1,
      deadline: 300_000,
      singleton: gcKey,
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
