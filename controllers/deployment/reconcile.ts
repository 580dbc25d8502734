/** One pass over one deployment: observe, plan, apply, and status once. Nothing here decides. */
import type { Writer } from '../../api/store/store.ts';
import { isSettled } from '../../specs/deployment.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import type { Reconcile } from '../runtime/reconciler.ts';
import { isCurrent, observe, type ObserveDeps } from './observe.ts';
import { plan, type Decision } from './plan.ts';
import { summarize } from './status.ts';
import { apply, type StepDeps } from './steps.ts';

export interface DeploymentDeps extends Omit<ObserveDeps, 'builds'>, StepDeps {
  /** Wakes this deployment when the ingress has something new to say. */
  awaitRoutes: (deploymentId: string) => void;
  /** Resolves when everything appended to the deployment's log is in its file. */
  flushLog: (deploymentId: string) => Promise<void>;
}

/** What it decided is out of date: the next pass decides anew. */
const again = { requeueAfter: 0 };

export function deploymentReconciler(deps: DeploymentDeps): Reconcile {
  const { store } = deps;
  return async (id, { signal }) => {
    const row = await store.get('Deployment', id);
    if (!row) return undefined;
    const now = deps.clock.now();
    const observed = await observe(row, now, deps);
    const decision = plan(row, observed, now);
    if (decision.reason === 'WaitingForRoute') deps.awaitRoutes(id);
    for (const step of decision.steps) {
      signal.throwIfAborted();
      await apply(step, row, observed, deps);
    }

    if (!(await isCurrent(row, observed, store))) return again;
    await logChange(row, decision, now, deps);
    const writeStatus = async (writer: Writer): Promise<boolean> => {
      if (!(await isCurrent(row, observed, writer))) return false;
      await writer.patchStatus('Deployment', id, row.generation, summarize(row, decision, now));
      return true;
    };
    const isWritten = await store.write(writeStatus, { lazy: true });
    if (!isWritten) return again;
    return decision.requeueAfter === undefined ? undefined : { requeueAfter: decision.requeueAfter };
  };
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
