/** Garbage collection of a node: on its directories and its engine, for its controller and its API. */
import { join } from 'node:path';
import type { Garbage } from '../../api/ports.ts';
import { createCollector } from '../../controllers/gc/collector.ts';
import { lookAtDisks, type Place } from '../../controllers/gc/disks.ts';
import { filesBelow } from '../../controllers/gc/files.ts';
import type { GcDeps } from '../../controllers/gc/reconcile.ts';
import { recordLowDisk } from '../../controllers/gc/record.ts';
import { requireRoom, watchRoom, type Room } from '../../controllers/gc/room.ts';
import { EngineError, type Engine } from '../../controllers/engine/engine.ts';
import type { Log } from '../../controllers/runtime/log.ts';
import type { Waker } from '../../controllers/runtime/reconciler.ts';
import type { Clock } from '../../specs/clock.ts';
import type { EventRecorder } from '../../specs/event.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { ChosenEngine } from './engine.ts';
import type { NodeSettings } from './settings.ts';
import type { State } from './state.ts';

/** The only key of the collector. */
export const gcKey = 'all';

export interface GarbageParts {
  state: State;
  chosen: Pick<ChosenEngine, 'engine' | 'isPrivate'>;
  settings: Pick<NodeSettings, 'diskFloor' | 'gcAgeMs'>;
  events: EventRecorder;
  clock: Clock;
  log: Log;
}

export interface GarbageService {
  /** For the controller. */
  deps: GcDeps;
  /** As that of the API, for what controllers take on by themselves. */
  requireRoom(): Promise<void>;
  /** Looks at the disks from now on, and wakes the controller when one is low. */
  watch(waker: Waker): Room & { port: Garbage };
}

export function garbageOf({ state, chosen, settings, events, clock, log }: GarbageParts): GarbageService {
  const { dataDir, nodeId, store, uploads, deploymentLogs, runLogs, workloadLogs, tagNotes } = state;
  const { engine, isPrivate: isPrivateEngine } = chosen;
  const places = placesOf(dataDir, engine);
  const disks = () => lookAtDisks({ floor: settings.diskFloor, places });
  const logs = join(dataDir, 'logs');
  const files = filesBelow({
    ...{ uploads: join(dataDir, 'uploads'), clones: join(dataDir, 'git'), runLogs: join(logs, 'runs') },
    ...{ deploymentLogs: join(logs, 'deployments'), workloadLogs: join(logs, 'workloads') },
  });
  const collector = createCollector({
    ...{ store, engine, files, uploads, deploymentLogs, runLogs, workloadLogs, tagNotes, events },
    ...{ nodeId, isPrivateEngine, disks, ageMs: settings.gcAgeMs, clock, log },
  });
  return {
    deps: { collector, disks },
    requireRoom: () => requireRoom({ look: disks, wouldFree: () => collector.wouldFree() }),
    watch(waker) {
      const room = watchRoom({
        look: disks,
        wouldFree: () => collector.wouldFree(),
        onLow: (disk) => {
          const { path, free_bytes, floor_bytes } = disk;
          recordLowDisk(disk, { events, nodeId });
          log.warn(
            { path, free_bytes, floor_bytes },
            'a disk is below its floor: pushes and deploys are refused',
          );
          waker.wake('Gc', gcKey);
        },
        clock,
      });
      const collect = (dryRun: boolean) => collector.onRequest(dryRun).catch(toProblem);
      return { ...room, port: { collect, requireRoom: () => room.require() } };
    },
  };
}

/** Where the engine keeps its things is known once it has said so: nobody waits for that. */
function placesOf(dataDir: string, engine: Pick<Engine, 'info'>): () => Place[] {
  let root: string | undefined;
  let asking = false;
  const ask = async (): Promise<void> => {
    asking = true;
    // An engine that is away is reported by whoever watches it.
    root = (await engine.info().catch(() => undefined))?.root;
    asking = false;
  };
  return () => {
    if (root === undefined && !asking) void ask();
    const data: Place = { path: dataDir, holds: 'data' };
    return root === undefined ? [data] : [data, { path: root, holds: 'images' }];
  };
}

function toProblem(error: unknown): never {
  if (!(error instanceof EngineError)) throw error;
  throw new ProblemError('unavailable', `${error.message}.`, { cause: error, retryAfter: 5 });
}
