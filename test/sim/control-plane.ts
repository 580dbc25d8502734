/** One control plane of a simulated node: the real controllers, composed as in a real one, on ports that end with its life. */
import { Readable, type Writable } from 'node:stream';
import { posix } from 'node:path';
import type { Store } from '../../api/store/store.ts';
import { startAll, type World as Parts } from '../../cli/daemon/controllers.ts';
import { watchEngine } from '../../cli/daemon/engine-watch.ts';
import type { Engine } from '../../controllers/engine/engine.ts';
import type { Ask } from '../../controllers/replica/prober.ts';
import type { Log } from '../../controllers/runtime/log.ts';
import { createMetrics } from '../../controllers/runtime/metrics.ts';
import type { Ingress } from '../../ingress/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import { connect } from './connection.ts';
import { Life, mortal, mortalClock, mortalStore } from './life.ts';
import type { Dice } from './dice.ts';
import type { Invariants } from './invariants.ts';
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
const metrics = createMetrics(['Project', 'Service', 'Deployment', 'Replica', 'RouteSet', 'Upload']);
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
  /** Ids of the archives that are on disk. */
  staged: Set<string>;
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
    ...{ store, engine, ingress, log, metrics, nodeId, socketsDir, clock: lifeClock, random: dice.bytes },
    ...smallParts(world, life),
    ask: (sabotage.ask ?? same)(askOf(world, life)),
    ...{ appsDomain: 'localhost', control: null, buildLimits: { memoryBytes: 2 ** 30, cpus: 1 } },
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
    async publish(routes) {
      const published = routesOf(routes);
      if (!life.over) await world.invariants.published(published);
      return attached.publish(published);
    },
  };
}

type Published = Parameters<Ingress['publish']>[0];

/** Asks over the way that a real probe takes: the socket, the bridge, the address, and whatever has that address. */
function askOf({ clock, dice, ingress, truth, invariants }: Surroundings, life: Life): Ask {
  return (upstream) =>
    life.hold(async () => {
      await clock.pause(dice.whole(1, 20));
      const address = ingress.bridgedTo(upstream.socket);
      const container = address === undefined ? undefined : truth.at(address);
      if (!container) return { ok: false, words: 'nothing listens on $PORT yet' };
      const [id, reached] = [posix.basename(upstream.socket, '.sock'), container.spec.labels['svc.replica']];
      if (id !== reached) invariants.strayed(id, reached ?? 'nobody');
      return truth.ask(container)
        ? { ok: true, words: '200 from /' }
        : { ok: false, words: '503: "starting"' };
    });
}

/** Uploads, logs and directories: as little as the controllers need. */
function smallParts({ clock, dice, staged }: Surroundings, life: Life) {
  const soon = (): Promise<void> => life.hold(() => clock.pause(dice.chance(0.9) ? 1 : dice.whole(1, 5_000)));
  return {
    uploads: {
      async context(id: string) {
        await soon();
        if (!staged.has(id)) throw new ProblemError('not_found', 'The upload is gone: push again.');
        return { stream: Readable.from([Buffer.from('a context')]), dockerfile: 'Dockerfile' };
      },
      async remove(id: string) {
        await soon();
        staged.delete(id);
      },
    },
    deploymentLogs: { append: () => undefined, flush: soon },
    follower: { follow: () => undefined, last: () => soon().then(() => ['its last line']), stop: soon },
    sockets: { prepare: soon, remove: soon },
    hostRoutes: () => soon().then(() => ['192.168.0.0/16']),
  } satisfies Partial<Parts>;
}

function logTo(trace: Writable | undefined, { clock }: Surroundings): Log {
  const at = (level: string) => (fields: object, message: string) => {
    trace?.write(`${clock.elapsed} ${level} ${message} ${JSON.stringify(fields, withErrors)}\n`);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

const withErrors = (_key: string, value: unknown): unknown =>
  value instanceof Error ? `${value.name}: ${value.message}` : value;
