/**
 * Starts controllers and stops them: a queue per kind, woken by changes in the store, by the resync and by whoever holds
 * the Waker. It knows no kind in particular; which controllers there are and who wakes whom is composed elsewhere.
 */
import type { Reader, Store } from '../../api/store/store.ts';
import type { Clock, Random } from '../../specs/clock.ts';
import { kinds, type Kind } from '../../specs/index.ts';
import { createController } from './controller.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { ControllerKind, ControllerSpec, Waker } from './reconciler.ts';
import { startResync, type Resync } from './resync.ts';
import { storeChanges, type Mapping } from './sources.ts';
import type { WorkQueue } from './work-queue.ts';

export interface ControllersOptions {
  controllers: readonly ControllerSpec[];
  /** Who wakes whom, beyond a row's own controller. */
  mappings: readonly Mapping[];
  store: Reader & Pick<Store, 'onChange'>;
  clock: Clock;
  random: Random;
  log: Log;
  /** Made for at least these controllers' kinds. */
  metrics: Metrics;
  /** Milliseconds between two resyncs of a key; 10 minutes when absent. */
  resyncInterval?: number;
  /** Milliseconds that running passes have to end by themselves at a stop; 5 seconds when absent. */
  patience?: number;
}

export interface Controllers extends Waker {
  /** Resolves once every key that was there at the start has been queued. */
  resynced: Promise<void>;
  /** Wakes nobody any more, aborts what runs, and resolves once that ended or was abandoned. */
  stop(): Promise<void>;
}

const tenMinutes = 600_000;
const fiveSeconds = 5_000;
/** 10,000 rows are a page every 3 s: small enough to be no burst, large enough that an idle node is rarely woken. */
const pageSize = 50;

/** Throws when a mapping can never work, or two controllers are for the same kind. */
export function startControllers(options: ControllersOptions): Controllers {
  const { controllers, mappings, store, log } = options;
  const queues = new Map<ControllerKind, WorkQueue>();
  for (const spec of controllers) {
    if (queues.has(spec.kind)) throw new Error(`two controllers for ${spec.kind}: a kind has exactly one`);
    queues.set(spec.kind, createQueue(spec, options));
  }
  const unsubscribe = storeChanges({ store, mappings, targets: queues, log });
  const resyncs = controllers.map((spec) => resync(spec, queues, options));
  return {
    wake(kind, id) {
      const queue = queues.get(kind);
      if (!queue) throw new Error(`${kind} has no controller to wake`);
      queue.add(id);
    },
    resynced: Promise.all(resyncs.map(({ first }) => first)).then(() => undefined),
    async stop() {
      unsubscribe();
      for (const each of resyncs) each.stop();
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}

function createQueue(spec: ControllerSpec, options: ControllersOptions): WorkQueue {
  const { clock, random, log, metrics, store, patience = fiveSeconds } = options;
  return createController(spec, {
    clock,
    random,
    log,
    patience,
    metrics: metrics.of(spec.kind),
    async generationOf(id) {
      return hasRows(spec.kind) ? (await store.get(spec.kind, id))?.generation : undefined;
    },
  });
}

function resync(
  spec: ControllerSpec,
  queues: ReadonlyMap<ControllerKind, WorkQueue>,
  options: ControllersOptions,
): Resync {
  const { clock, random, log, store, resyncInterval = tenMinutes } = options;
  return startResync({
    clock,
    random,
    log,
    interval: resyncInterval,
    page: pageSize,
    add: (id) => queues.get(spec.kind)?.add(id, { priority: 'low' }),
    async list(before, limit) {
      if (!hasRows(spec.kind)) return spec.singleton === undefined ? [] : [spec.singleton];
      return (await store.list(spec.kind, { limit, ...(before === undefined ? {} : { before }) })).map(
        ({ id }) => id,
      );
    },
  });
}

function hasRows(kind: ControllerKind): kind is Extract<ControllerKind, Kind> {
  return (kinds as readonly string[]).includes(kind);
}
