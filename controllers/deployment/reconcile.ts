/** One pass over one deployment: observe, plan, apply, and status once. Nothing here decides. */
import type { Writer } from '../../api/store/store.ts';
import { isSettled } from '../../specs/deployment.ts';
import type { Row } from '../../specs/index.ts';
import type { Masks } from '../../specs/mask.ts';
import { timestamp } from '../../specs/meta.ts';
import { EngineError } from '../engine/engine.ts';
import type { Reconcile } from '../runtime/reconciler.ts';
import type { Decision } from './decision.ts';
import { isCurrent, observe, type ObserveDeps, type Observed } from './observe.ts';
import { plan } from './plan.ts';
import { summarize } from './status.ts';
import { apply, type StepDeps } from './steps.ts';

export interface DeploymentDeps extends Omit<ObserveDeps, 'builds' | 'engine'>, Omit<StepDeps, 'engine'> {
  engine: ObserveDeps['engine'] & StepDeps['engine'];
  /** Wakes this deployment when the ingress has something new to say. */
  awaitRoutes: (deploymentId: string) => void;
  /** Hide the project's secrets in messages: they quote builds, workloads and the engine. */
  masks: Pick<Masks, 'text'>;
  /** Resolves when everything appended to the deployment's log is in its file. */
  flushLog: (deploymentId: string) => Promise<void>;
}

/** What it decided is out of date: the next pass decides anew. */
const again = { requeueAfter: 0 };
/** Milliseconds until an engine that kept an image, or was away, is asked again. */
const retryAfter = 5_000;

export function deploymentReconciler(deps: DeploymentDeps): Reconcile {
  const { store } = deps;
  return async (id, { signal }) => {
    const row = await store.get('Deployment', id);
    if (!row) return undefined;
    const now = deps.clock.now();
    const observed = await observe(row, now, deps);
    const planned = plan(row, observed, now);
    if (planned.reason === 'WaitingForRoute') deps.awaitRoutes(id);
    const done = await act(row, planned, observed, deps, signal);
    const decision = { ...done, message: deps.masks.text(row.spec.project_id, done.message) };
    if (decision.steps.some((step) => step.do === 'purge')) return undefined;

    if (!(await isCurrent(row, observed, store))) return again;
    await logChange(row, decision, now, deps);
    const writeStatus = async (writer: Writer): Promise<boolean> => {
      if (!(await isCurrent(row, observed, writer))) return false;
      await writer.patchStatus('Deployment', id, row.generation, summarize(row, decision, observed, now));
      return true;
    };
    const isWritten = await store.write(writeStatus, { lazy: true });
    if (!isWritten) return again;
    return decision.requeueAfter === undefined ? undefined : { requeueAfter: decision.requeueAfter };
  };
}

/**
 * Applies the steps. That the engine is away while a deployment is being removed is a finding, not a fault of the pass:
 * somebody waits for that and wants to know for what.
 * @returns what was decided, or that
 */
async function act(
  row: Row<'Deployment'>,
  decision: Decision,
  observed: Observed,
  deps: DeploymentDeps,
  signal: AbortSignal,
): Promise<Decision> {
  try {
    for (const step of decision.steps) {
      signal.throwIfAborted();
      await apply(step, row, observed, deps);
    }
    return decision;
  } catch (error) {
    if (row.deleted_at === null || !(error instanceof EngineError)) throw error;
    const { message } = error;
    return {
      steps: [],
      phase: decision.phase,
      reason: 'EngineUnavailable',
      message,
      requeueAfter: retryAfter,
    };
  }
}

/** Before the status is written: whoever sees a settled row may rely on the log being whole. */
async function logChange(
  { id, status }: Row<'Deployment'>,
  { phase, reason, message }: Decision,
  now: number,
  { log, flushLog }: DeploymentDeps,
): Promise<void> {
  if (phase === status.phase && reason === status.reason) return;
  log(id, { event: 'status', at: timestamp(now), status: phase, reason, message });
  if (isSettled(phase)) await flushLog(id);
}
