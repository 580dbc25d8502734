/**
 * A control plane's connection to the engine: every call takes its time there and back, replies get lost when the engine
 * goes away, and what was asked for before the control plane was killed may still happen.
 */
import type { BuildRequest, Engine, EngineEvent, Labels } from '../../controllers/engine/engine.ts';
import { EngineError } from '../../controllers/engine/engine.ts';
import type { FakeEngine } from '../support/fake-engine.ts';
import type { Dice } from './dice.ts';
import type { Invariants } from './invariants.ts';
import type { LateStarts } from './late-starts.ts';
import type { Life } from './life.ts';
import type { Truth } from './truth.ts';
import type { WorldClock } from './world-clock.ts';

export interface ConnectionDeps {
  engine: FakeEngine;
  clock: WorldClock;
  dice: Dice;
  truth: Truth;
  invariants: Invariants;
  lateStarts: LateStarts;
  /** Aborts when the engine goes away; undefined while it is away. */
  readonly engineThere: AbortSignal | undefined;
}

const gone = (): EngineError => new EngineError('unavailable', 'The engine went away: check that it runs');

export function connect(deps: ConnectionDeps, life: Life): Engine {
  const { engine, clock, dice, invariants, lateStarts } = deps;
  const pause = (): Promise<void> =>
    clock.pause(dice.chance(0.9) ? dice.whole(1, 20) : dice.whole(20, 2_000));
  const call = <T>(effect: () => Promise<T>): Promise<T> =>
    life.hold(async () => {
      await pause();
      if (life.over && dice.chance(0.5)) throw gone();
      const result = await effect();
      await pause();
      if (!deps.engineThere) throw gone();
      return result;
    });
  const stopping = <T>(container: string, effect: () => Promise<T>): Promise<T> =>
    call(() => {
      lateStarts.before(container);
      invariants.stopping(container);
      return effect();
    });
  return {
    info: () => call(() => engine.info()),
    ensureNetwork: (spec) => call(() => engine.ensureNetwork(spec)),
    listNetworks: () => call(() => engine.listNetworks()),
    removeNetwork: (id) => call(() => engine.removeNetwork(id)),
    build: (request) => call(() => build(request, deps, life)),
    resolveImage: (request) => call(() => engine.resolveImage(request)),
    pullImage: (request) => call(() => engine.pullImage(request)),
    inspectImage: (reference) => call(() => engine.inspectImage(reference)),
    listImages: (labels) => call(() => engine.listImages(labels)),
    findImage: (reference) => call(() => engine.findImage(reference)),
    tagImage: (image, tag) => call(() => engine.tagImage(image, tag)),
    removeImage: (reference) => call(() => engine.removeImage(reference)),
    ensureVolume: (spec) => call(() => engine.ensureVolume(spec)),
    listVolumes: (labels) => call(() => engine.listVolumes(labels)),
    removeVolume: (name) => call(() => engine.removeVolume(name)),
    diskUsage: () => call(() => engine.diskUsage()),
    pruneBuildCache: (unusedForMs) => call(() => engine.pruneBuildCache(unusedForMs)),
    createReplica: (spec) =>
      call(() => {
        invariants.creating(spec);
        return engine.createReplica(spec);
      }),
    startReplica: (id) => call(() => lateStarts.start(id)),
    stopReplica: (id, graceMs) => stopping(id, () => engine.stopReplica(id, graceMs)),
    removeReplica: (id) => stopping(id, () => engine.removeReplica(id)),
    unpauseReplica: (id) => call(() => engine.unpauseReplica(id)),
    connectReplica: (id, network) => call(() => engine.connectReplica(id, network)),
    disconnectReplica: (id, network) => call(() => engine.disconnectReplica(id, network)),
    renameReplica: (id, name) => call(() => engine.renameReplica(id, name)),
    limitReplica: (id, limits) => call(() => engine.limitReplica(id, limits)),
    inspectReplica: (id) => call(() => engine.inspectReplica(id)),
    listReplicas: (labels) => call(() => engine.listReplicas(labels)),
    replicaStats: (ids) => call(() => engine.replicaStats(ids)),
    replicaLogs() {
      throw new Error('output is followed by a fake here');
    },
    replicaOutput() {
      throw new Error('nobody floods here');
    },
    exec() {
      throw new Error('nobody opens a console here');
    },
    endExec: (left) => call(() => engine.endExec(left)),
    events: (labels, signal) => events(labels, signal, deps, life),
  };
}

/** A build ends early when it is cancelled, when the engine goes away, and when nobody is there any more who asked for it. */
async function build(
  request: BuildRequest,
  { engine, clock, dice, invariants, engineThere: there }: ConnectionDeps,
  life: Life,
): Promise<string> {
  if (!there) throw gone();
  const signal = AbortSignal.any([request.signal, life.signal, there]);
  const isOver = (): boolean => signal.aborted;
  if (isOver()) throw new EngineError('aborted', 'The build was aborted');
  const over = (): void => invariants.buildOver(request.labels['svc.deployment'] ?? '');
  invariants.buildBegins(request.labels['svc.deployment'] ?? '');
  signal.addEventListener('abort', over, { once: true });
  try {
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await Promise.race([
      clock.pause(dice.chance(0.7) ? dice.whole(10, 500) : dice.whole(500, 30_000)),
      aborted,
    ]);
    return await engine.build({ ...request, signal });
  } catch (error) {
    throw there.aborted ? gone() : error;
  } finally {
    over();
    // An engine takes its time to end what was aborted.
    if (isOver()) await clock.pause(dice.whole(1, 5_000));
  }
}

async function* events(
  labels: Labels,
  signal: AbortSignal,
  { engine, truth }: ConnectionDeps,
  life: Life,
): AsyncGenerator<EngineEvent, undefined> {
  const feed = engine.events(labels, AbortSignal.any([signal, life.signal]));
  let next = life.hold(() => feed.next());
  next.catch(() => undefined);
  // A real engine begins with what happened a moment ago, so that nothing is missed between a list and this.
  for (const { id, spec } of truth.containers())
    yield { action: 'start', container: id, labels: spec.labels, network: null };
  for (;;) {
    const { done, value } = await next;
    if (done === true) return undefined;
    yield value;
    next = life.hold(() => feed.next());
  }
}
