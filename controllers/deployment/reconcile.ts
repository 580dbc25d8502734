/** One pass over one deployment: observe, plan, apply, and status once. Nothing here decides. */
import type { Writer } from '../../api/store/store.ts';
import { isSettled } from '../../specs/deployment.ts';
import type { EventRecorder } from '../../specs/event.ts';
import type { Row } from '../../specs/index.ts';
import type { Masks } from '../../specs/mask.ts';
import { timestamp } from '../../specs/meta.ts';
import { EngineError } from '../engine/engine.ts';
import type { Reconcile } from '../runtime/reconciler.ts';
import type { Decision } from './decision.ts';
import { isCurrent, observe, type ObserveDeps, type Observed } from './observe.ts';
import { plan } from './plan.ts';
import { endBakeIn } from './promotion.ts';
import { imageLost, summarize } from './status.ts';
import { apply, type StepDeps } from './steps.ts';

export interface DeploymentDeps
  extends Omit<ObserveDeps, 'builds' | 'engine' | 'ingress'>, Omit<StepDeps, 'engine' | 'ingress'> {
  engine: ObserveDeps['engine'] & StepDeps['engine'];
  ingress: ObserveDeps['ingress'];
  /** Wakes this deployment when the ingress has something new to say. */
  awaitRoutes: (deploymentId: string) => void;
  events: EventRecorder;
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
    if (planned.reason === 'WaitingForRoute' || planned.awaitRoutes || row.status.takeover !== null)
      deps.awaitRoutes(id);
    const done = await act(row, planned, observed, deps, signal);
    const decision = { ...done, message: deps.masks.text(row.spec.project_id, done.message) };
    if (decision.steps.some((step) => step.do === 'purge')) return undefined;

    if (!(await isCurrent(row, observed, store))) return again;
    await logChange(row, decision, now, deps);
    const writeStatus = async (writer: Writer): Promise<boolean> => {
      if (!(await isCurrent(row, observed, writer))) return false;
      // Given up meanwhile: then nobody removed it by hand.
      if (decision.imageLost && (await writer.get('Deployment', id))?.status.image === null) return false;
      const { endBake } = decision;
      if (endBake !== undefined && !(await endBakeIn(writer, row, endBake, now))) return false;
      await writer.patchStatus('Deployment', id, row.generation, summarize(row, decision, observed, now));
      return true;
    };
    const isWritten = await store.write(writeStatus, { lazy: true });
    if (!isWritten) return again;
    if (decision.imageLost) recordLostImage(row, deps.events);
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

function recordLostImage({ id, spec }: Row<'Deployment'>, events: EventRecorder): void {
  const of = { project_id: spec.project_id, service_id: spec.service_id, name: String(spec.number) };
  events.record({ kind: 'Deployment', object: id, ...of, type: 'Warning', ...imageLost });
}

/** Before the status is written: whoever sees a settled row may rely on the log being whole. */
async function logChange(
  row: Row<'Deployment'>,
  { phase, reason, message }: Decision,
  now: number,
  { log, flushLog, events }: DeploymentDeps,
): Promise<void> {
  const { id, spec, status } = row;
  if (phase === status.phase && reason === status.reason) return;
  log(id, { event: 'status', at: timestamp(now), status: phase, reason, message });
  const type = phase === 'Failed' ? 'Warning' : 'Normal';
  const of = { project_id: spec.project_id, service_id: spec.service_id, name: String(spec.number) };
  events.record({ kind: 'Deployment', object: id, ...of, type, reason, message });
  if (isSettled(phase)) await flushLog(id);
}
