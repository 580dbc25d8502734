/** One pass over one replica: observe, plan, apply, and status once. Nothing here decides. */
import type { Clock } from '../../specs/clock.ts';
import type { Row } from '../../specs/index.ts';
import { EngineError } from '../engine/engine.ts';
import type { Reconcile } from '../runtime/reconciler.ts';
import { observe, type Observed, type ObserveDeps } from './observe.ts';
import { backoffMs, plan, type Decision } from './plan.ts';
import { summarize } from './status.ts';
import { apply, type StepDeps } from './steps.ts';

export interface ReplicaDeps extends Omit<ObserveDeps, 'engine'>, Omit<StepDeps, 'engine'> {
  engine: ObserveDeps['engine'] & StepDeps['engine'];
  clock: Clock;
  /** Wakes this replica when the ingress has something new to say. */
  awaitRoutes: (replicaId: string) => void;
}

export function replicaReconciler(deps: ReplicaDeps): Reconcile {
  return async (id, { signal }) => {
    const row = await deps.store.get('Replica', id);
    if (!row) return removeLeftover(id, deps);
    const observed = await observe(row, deps);
    const now = deps.clock.now();
    const decision = plan(row, observed, now);
    if (decision.awaitRoutes) deps.awaitRoutes(id);
    const { container, refusal } = await attempt(row, observed, decision, deps, signal);
    const outcome = refusal ? startRefused(row, refusal, now) : decision;
    await deps.store.patchStatus(
      'Replica',
      id,
      row.generation,
      summarize(row, observed, outcome, container, now),
    );
    return outcome.requeueAfter === undefined ? undefined : { requeueAfter: outcome.requeueAfter };
  };
}

/**
 * The row is purged once there is no container; but one may come late, of a call that was given up or that an earlier
 * control plane had made. Nobody else knows of it.
 */
async function removeLeftover(id: string, { engine, nodeId, sockets }: ReplicaDeps): Promise<undefined> {
  const leftover = await engine.listReplicas({ 'svc.node': nodeId, 'svc.replica': id });
  for (const { id: container } of leftover) await engine.removeReplica(container);
  if (leftover.length > 0) await sockets.remove(id);
  return undefined;
}

/** Applies the steps. That the engine refuses to run the workload is a finding, not a fault of the pass. */
async function attempt(
  row: Row<'Replica'>,
  observed: Observed,
  { steps }: Decision,
  deps: ReplicaDeps,
  signal: AbortSignal,
): Promise<{ container: string | null; refusal?: EngineError }> {
  try {
    return { container: await apply(steps, row, observed, deps, signal) };
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'refused') throw error;
    return { container: observed.container?.id ?? row.status.container, refusal: error };
  }
}

function startRefused(row: Row<'Replica'>, refusal: EngineError, now: number): Decision {
  const crashes = row.status.crashes + 1;
  const restartAt = new Date(now + backoffMs(crashes + 1)).toISOString();
  const exit = { crashes, restart_at: restartAt, last_exit: null };
  return {
    steps: [],
    phase: 'Exited',
    reason: 'StartFailed',
    message: refusal.message,
    exit,
    requeueAfter: 0,
  };
}
