/** One control plane of a simulated node: the real controllers, composed as in a real one, on ports that end with its life. */
import { Readable, type Writable } from 'node:stream';
import { posix } from 'node:path';
import type { Store } from '../../api/store/store.ts';
import { startAll, type World as Parts } from '../../cli/daemon/controllers.ts';
import { watchEngine } from '../../cli/daemon/engine-watch.ts';
import { disabledAcme } from '../../controllers/acme/disabled.ts';
import type { Engine } from '../../controllers/engine/engine.ts';
import { createCollector } from '../../controllers/gc/collector.ts';
import type { Ask } from '../../controllers/replica/prober.ts';
import type { Log } from '../../controllers/runtime/log.ts';
import { createMetrics } from '../../controllers/runtime/metrics.ts';
import { controllerKinds } from '../../controllers/runtime/reconciler.ts';
import type { Ingress, Upstream } from '../../ingress/index.ts';
import { createMasks } from '../../specs/mask.ts';
import { ProblemError } from '../../specs/problem.ts';
import { connect } from './connection.ts';
import { Life, mortal, mortalClock, mortalStore } from './life.ts';
import type { Dice } from './dice.ts';
import { deploymentLog, runLog, workloadLog, type Disk } from './disk.ts';
import type { Invariants } from './invariants.ts';
import type { LateStarts } from './late-starts.ts';
import type { Secrets } from './secrets.ts';
import type { Truth } from './truth.ts';
import type { WorldClock } from './world-clock.ts';
import type { FakeEngine } from '../support/fake-engine.ts';
import type { FakeIngress } from '../support/fake-ingress.ts';

export interface ControlPlane {
  life: Life;
  /** Stops it in good order. */
  stop(): Promise<void>;
}

/** Puts something broken in the place of a part. */
export interface Sabotage {
  store?: (store: Store) => Store;
  engine?: (engine: Engine) => Engine;
  /** Behind the checks: what it publishes has been looked at. */
  ingress?: (ingress: Ingress) => Ingress;
  /** What a control plane publishes, before it is looked at. */
  routes?: (routes: Parameters<Ingress['publish']>[0]) => Parameters<Ingress['publish']>[0];
  ask?: (ask: Ask) => Ask;
}

const nodeId = 'node_sim';
const socketsDir = '/run/svc/sockets';
/** One for all worlds: making it costs more than a short history. */
const metrics = createMetrics(controllerKinds);
/** Nothing is secret here. */
const nothing: readonly string[] = [];
const masks = createMasks(() => nothing);
const same = <T>(part: T): T => part;

/** What a control plane finds around it. */
interface Surroundings {
  clock: WorldClock;
  dice: Dice;
  truth: Truth;
  store: Store;
  engine: FakeEngine;
  ingress: FakeIngress;
  invariants: Invariants;
  lateStarts: LateStarts;
  secrets: Secrets;
  disk: Disk;
  /** Aborts when the engine goes away; undefined while it is away. */
  readonly engineThere: AbortSignal | undefined;
}

export async function startControlPlane(
  world: Surroundings,
  sabotage: Sabotage,
  trace: Writable | undefined,
): Promise<ControlPlane> {
  const life = new Life();
  const { dice, clock } = world;
  const log = logTo(trace, world);
  const ingress = (sabotage.ingress ?? same)(ingressOf(world, life, sabotage.routes ?? same));
  const beforeWrite = (): Promise<void> =>
    dice.chance(0.7) ? Promise.resolve() : clock.pause(dice.whole(1, 5));
  const store = (sabotage.store ?? same)(mortalStore(world.store, life, beforeWrite));
  const engine = (sabotage.engine ?? same)(connect(world, life));
  await ingress.start();
  const lifeClock = mortalClock(clock, life);
  const running = startAll({
    garbage: garbageOf(world, life, { store, engine, clock: lifeClock, log }),
    ...{ store, engine, ingress, log, metrics, nodeId, socketsDir, clock: lifeClock, random: dice.bytes },
    ...smallParts(world, life),
    masks,
    // Nobody reads them here; what they tell of is in the rows.
    events: { record: () => undefined },
    // Nothing is cloned here.
    clones: { clone: () => Promise.reject(new Error('no Git source is deployed in a simulation')) },
    // No domain is verified here.
    look: () => Promise.reject(new Error('nobody looks at hostnames in a simulation')),
    ownAddresses: () => [],
    issuing: { acme: disabledAcme, directories: null },
    ask: (sabotage.ask ?? same)(askOf(world, life)),
    ...{ appsDomain: 'localhost', control: null, buildLimits: { memoryBytes: 2 ** 30, cpus: 1 } },
    hostPaths: [],
    hostPathFault: () => undefined,
  });
  const watch = watchEngine({
    engine,
    endpoint: 'fake',
    nodeId,
    store,
    waker: running,
    clock: lifeClock,
    log,
  });
  return {
    life,
    async stop() {
      await watch.close();
      await running.stop();
    },
  };
}

function ingressOf(world: Surroundings, life: Life, routesOf: (routes: Published) => Published): Ingress {
  const attached = mortal(world.ingress.attach(), life);
  return {
    ...{ start: () => attached.start(), close: () => attached.close(), workers: () => attached.workers() },
    applied: () => attached.applied(),
    isRouted: (replicaId) => attached.isRouted(replicaId),
    isIdle: (replicaId) => attached.isIdle(replicaId),
    onChange: (listener) => attached.onChange(listener),
    traffic: () => attached.traffic(),
    hasCertificate: (id) => attached.hasCertificate(id),
    installCertificate: (id, pair) => attached.installCertificate(id, pair),
    async publish(routes) {
      const published = routesOf(routes);
      if (!life.over) await world.invariants.published(published);
      return attached.publish(published);
    },
  };
}

type Published = Parameters<Ingress['publish']>[0];

/** Asks over the way that a real probe takes: the socket, the bridge, the address, and whatever has that address. */
function askOf(world: Surroundings, life: Life): Ask {
  const { clock, dice, truth, invariants } = world;
  return ({ upstream }) =>
    life.hold(async () => {
      await clock.pause(dice.whole(1, 20));
      const { id, container } = reach(upstream, world);
      if (!container) return { ok: false, words: 'nothing listens yet' };
      const reached = container.spec.labels['svc.replica'];
      if (id !== reached) invariants.strayed(id, reached ?? 'nobody');
      return truth.ask(container)
        ? { ok: true, words: '200 from /' }
        : { ok: false, words: '503: "starting"' };
    });
}

/** What listens on a socket: the workload itself in its own directory, or whatever has the address that the bridge knows. */
function reach({ socket, via }: Upstream, { ingress, truth, disk }: Surroundings) {
  if (via === 'bridged') {
    const address = ingress.bridgedTo(socket);
    return {
      id: posix.basename(socket, '.sock'),
      container: address === undefined ? undefined : truth.at(address),
    };
  }
  const id = posix.basename(posix.dirname(socket));
  const own = truth
    .containers()
    .find(({ isRunning, spec }) => isRunning && spec.labels['svc.replica'] === id);
  return { id, container: disk.sockets.has(id) ? own : undefined };
}

/** Uploads, logs and directories: as little as the controllers need. A process that is killed writes nothing any more. */
function smallParts({ clock, dice, disk, secrets }: Surroundings, life: Life) {
  const soon = (): Promise<void> => life.hold(() => clock.pause(dice.chance(0.9) ? 1 : dice.whole(1, 5_000)));
  const write = (effect: () => void): void => {
    if (!life.over) effect();
  };
  return {
    vault: { open: (ref) => life.hold(() => secrets.open(ref)) },
    uploads: {
      async context(id: string) {
        await soon();
        if (!disk.uploads.has(id)) throw new ProblemError('not_found', 'The upload is gone: push again.');
        return { stream: Readable.from([Buffer.from('a context')]), dockerfile: 'Dockerfile' };
      },
      async remove(id: string) {
        await soon();
        disk.uploads.delete(id);
      },
    },
    deploymentLogs: {
      append: (id) => write(() => disk.logs.add(deploymentLog(id))),
      flush: soon,
      remove: (id) => soon().then(() => void disk.logs.delete(deploymentLog(id))),
    },
    workloadLogs: {
      remove: (service, deployment) =>
        soon().then(() => void disk.logs.delete(workloadLog(service, deployment))),
      async removeAll(service) {
        await soon();
        for (const log of disk.logs) if (log.startsWith(workloadLog(service))) disk.logs.delete(log);
      },
    },
    runLogs: {
      append: (id) => write(() => disk.logs.add(runLog(id))),
      flush: soon,
      tail: () => soon().then(() => []),
      isFull: () => soon().then(() => false),
      remove: (id) => soon().then(() => void disk.logs.delete(runLog(id))),
    },
    follower: {
      follow: ({ serviceId, deploymentId }) =>
        write(() => disk.logs.add(workloadLog(serviceId, deploymentId))),
      last: () => soon().then(() => ['its last line']),
      stop: soon,
    },
    sockets: {
      prepare: (id) => soon().then(() => void disk.sockets.add(id)),
      remove: (id) => soon().then(() => void disk.sockets.delete(id)),
    },
    host: { routes: () => soon().then(() => ['192.168.0.0/16']), hasten: soon },
    requireRoom: soon,
  } satisfies Partial<Parts>;
}

/** Of the engine alone: files go with their rows, and no disk is full. */
function garbageOf(
  world: Surroundings,
  life: Life,
  parts: Pick<Parts, 'store' | 'engine' | 'clock' | 'log'>,
): Parts['garbage'] {
  const { uploads, deploymentLogs, runLogs, workloadLogs } = smallParts(world, life);
  const disks = () => Promise.resolve([]);
  const files = { list: () => Promise.resolve([]), bytesOf: () => Promise.resolve(0) };
  const collector = createCollector({
    ...{ ...parts, uploads, deploymentLogs, runLogs, workloadLogs, files, disks, nodeId },
    ...{ isPrivateEngine: true, ageMs: 0, events: { record: () => undefined } },
    tagNotes: { list: () => Promise.resolve([]), forget: () => Promise.resolve() },
  });
  return { collector, disks };
}

function logTo(trace: Writable | undefined, { clock }: Surroundings): Log {
  const at = (level: string) => (fields: object, message: string) => {
    trace?.write(`${clock.elapsed} ${level} ${message} ${JSON.stringify(fields, withErrors)}\n`);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

const withErrors = (_key: string, value: unknown): unknown =>
  value instanceof Error ? `${value.name}: ${value.message}` : value;
