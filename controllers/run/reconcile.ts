/** One pass over one run: observe, plan, apply, and status once. Nothing here decides. */
import type { Clock } from '../../specs/clock.ts';
import type { EventRecorder } from '../../specs/event.ts';
import { isOver } from '../../specs/job.ts';
import type { Row } from '../../specs/index.ts';
import type { RunLogEntry } from '../../specs/log-entry.ts';
import type { Masks } from '../../specs/mask.ts';
import { timestamp } from '../../specs/meta.ts';
import { EngineError } from '../engine/engine.ts';
import type { Reconcile, Result } from '../runtime/reconciler.ts';
import { SecretUnavailableError } from '../secrets/open.ts';
import { observe, type ObserveDeps, type Observed } from './observe.ts';
import { labelsOf } from './place.ts';
import { plan, type Decision } from './plan.ts';
import { summarize } from './status.ts';
import { recordFailure, recordMending } from './record.ts';
import { apply, type Applied, type StepDeps } from './steps.ts';

export interface RunDeps extends Omit<ObserveDeps, 'engine' | 'images'>, Omit<StepDeps, 'engine'> {
  engine: ObserveDeps['engine'] & StepDeps['engine'];
  clock: Clock;
  events: EventRecorder;
  /** Hide the project's secrets in messages: they quote the engine. */
  masks: Pick<Masks, 'text'>;
  /** Appends to the run's log. */
  log: (runId: string, entry: RunLogEntry) => void;
  /** Resolves when everything appended to the run's log is in its file. */
  flushLog: (runId: string) => Promise<void>;
}

export function runReconciler(deps: RunDeps): Reconcile {
  return async (id, { signal }) => {
    const row = await deps.store.get('Run', id);
    return row ? pass(row, deps, signal) : removeLeftovers(id, deps);
  };
}

async function pass(row: Row<'Run'>, deps: RunDeps, signal: AbortSignal): Promise<Result | undefined> {
  const observed = await observe(row, deps);
  const now = deps.clock.now();
  const planned = plan(row, observed, now);
  const { known, limitsRefused, refusal } = await attempt(row, observed, planned, deps, signal);
  if (planned.steps.some((step) => step.do === 'purge')) return undefined;
  const said = refusal ?? planned;
  const decision = { ...said, message: deps.masks.text(row.spec.project_id, said.message) };
  await logChange(row, decision, now, deps);
  const status = summarize(row, observed, { ...decision, limitsRefused }, known, now);
  // A verdict cannot be found out again once its container has gone.
  const durable = decision.ended !== undefined;
  await deps.store.patchStatus('Run', row.id, row.generation, status, { durable });
  if (decision.phase === 'Failed' && row.status.phase !== 'Failed') recordFailure(row, decision, deps.events);
  if (!refusal) recordMending(row, { ...planned, limitsRefused }, deps.events);
  return decision.requeueAfter === undefined ? undefined : { requeueAfter: decision.requeueAfter };
}

/** Applies the steps. That a run cannot be started as it is asked for is a verdict, not a fault of the pass. */
async function attempt(
  row: Row<'Run'>,
  observed: Observed,
  { steps }: Decision,
  deps: RunDeps,
  signal: AbortSignal,
): Promise<Applied & { refusal?: Decision }> {
  try {
    return await apply(steps, row, observed, deps, signal);
  } catch (error) {
    const reason = refusalOf(error);
    if (reason === undefined || isOver(row.status.phase)) throw error;
    const known = { container: observed.container?.id ?? null, image: row.status.image };
    const { message } = error as Error;
    const refusal = { steps: [], phase: 'Failed', reason, message, ended: { code: null } } as const;
    // Whatever was made of it goes with the next pass.
    return { known, refusal: { ...refusal, steps: [], requeueAfter: 0 } };
  }
}

function refusalOf(error: unknown): 'SecretUnavailable' | 'StartFailed' | 'ImageGone' | undefined {
  if (error instanceof SecretUnavailableError) return 'SecretUnavailable';
  if (!(error instanceof EngineError)) return undefined;
  if (error.code === 'refused') return 'StartFailed';
  // What was to be created or started lacks its image.
  return error.code === 'not_found' && /image/.test(error.message) ? 'ImageGone' : undefined;
}

/** Before the status is written: whoever sees a run that is over may rely on the log being whole. */
async function logChange(
  { id, status }: Row<'Run'>,
  { phase, reason, message }: Decision,
  now: number,
  { log, flushLog }: RunDeps,
): Promise<void> {
  if (phase !== status.phase || reason !== status.reason)
    log(id, { event: 'status', at: timestamp(now), status: phase, reason, message });
  if (isOver(phase) && !isOver(status.phase)) await flushLog(id);
}

/** As of a replica: a container may come late, of a call that was given up, when its row is gone. */
async function removeLeftovers(id: string, { engine, nodeId, output }: RunDeps): Promise<undefined> {
  const leftovers = await engine.listReplicas(labelsOf(id, nodeId));
  if (leftovers.length > 0) await output.drain(id);
  for (const { id: container } of leftovers) await engine.removeReplica(container);
  return undefined;
}
