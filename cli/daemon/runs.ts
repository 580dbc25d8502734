/** Puts together what runs of jobs need: their images, their output, and their controller. */
import type { Store } from '../../api/store/store.ts';
import type { Vault } from '../../api/store/vault.ts';
import type { Engine } from '../../controllers/engine/engine.ts';
import type { RunLogs } from '../../controllers/logs/run-logs.ts';
import { credentialsOf } from '../../controllers/pull/credentials.ts';
import { createRunImages } from '../../controllers/run/images.ts';
import { obtainFrom, type ObtainDeps } from '../../controllers/run/obtain.ts';
import { openRunOutput } from '../../controllers/run/output.ts';
import { runReconciler } from '../../controllers/run/reconcile.ts';
import { Jobs } from '../../controllers/runtime/jobs.ts';
import type { Log } from '../../controllers/runtime/log.ts';
import type { Reconcile } from '../../controllers/runtime/reconciler.ts';
import type { EventRecorder } from '../../specs/event.ts';
import type { Row } from '../../specs/index.ts';
import { leadLines, type Masks } from '../../specs/mask.ts';
import type { Clock } from '../../specs/clock.ts';

/** What it takes of the node. */
export interface RunWorld {
  store: Store;
  vault: Pick<Vault, 'open'>;
  engine: Engine;
  masks: Masks;
  events: EventRecorder;
  clock: Clock;
  log: Log;
  nodeId: string;
  /** Throws while a disk of the node is below its floor. */
  requireRoom: () => Promise<void>;
  runLogs: Pick<RunLogs, 'append' | 'flush' | 'tail' | 'isFull' | 'remove'>;
}

export interface Runs {
  reconcile: Reconcile;
  close(): Promise<void>;
}

/** Milliseconds that the image of a run may take, and that it has to end once it was aborted. */
const imageDeadline = 30 * 60_000;
const imageGrace = 30_000;

/**
 * @param stopJobs stops of containers, by the id of what they belong to
 * @param wake wakes a run
 */
export function startRuns(world: RunWorld, stopJobs: Jobs<void>, wake: (runId: string) => void): Runs {
  const { store, vault, engine, masks, events, clock, nodeId, log, runLogs, requireRoom } = world;
  const imageJobs = new Jobs<string>({
    ...{ clock, deadline: imageDeadline, grace: imageGrace, onSettled: wake },
    concurrency: { image: 4 },
  });
  const output = openRunOutput({ engine, logs: runLogs, masks, clock, log });
  const runLog: ObtainDeps['log'] = (id, entry) => runLogs.append(id, entry);
  const credentials = credentialsOf({ store, vault });
  const images = createRunImages(
    imageJobs,
    obtainFrom({ engine, credentials, clock, requireRoom, log: runLog }),
  );
  return {
    reconcile: runReconciler({
      ...{ store, vault, engine, masks, events, clock, nodeId, images, output },
      log: runLog,
      flushLog: (id) => runLogs.flush(id),
      removeLogs: (id) => runLogs.remove(id),
      isStopping: (id) => ['queued', 'running'].includes(stopJobs.find(id)?.state ?? ''),
      stopSoon: (id, container, graceMs) => {
        stopJobs.ensure(id, () => engine.stopReplica(container, graceMs), { group: 'stop' });
      },
    }),
    async close() {
      await Promise.all([imageJobs.close(), output.close()]);
    },
  };
}

/** How many lines of a run that failed are quoted by the deployment that waited for it. */
const quotedLines = 20;

/** The last lines that a run printed, oldest first, without what is secret now. */
export async function lastLines(
  { id, spec }: Row<'Run'>,
  { runLogs, masks }: Pick<RunWorld, 'runLogs' | 'masks'>,
): Promise<string[]> {
  const held = masks.held(spec.project_id);
  for (const { entry } of await runLogs.tail(id, leadLines))
    if (entry.event === 'log') held.push(`${entry.try} ${entry.stream}`, entry.line, undefined);
  return held
    .take()
    .slice(-quotedLines)
    .map(({ line }) => line);
}
