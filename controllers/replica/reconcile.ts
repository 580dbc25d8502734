/** One pass over one replica: observe, plan, apply, and status once. Nothing here decides. */
import type { Clock } from '../../specs/clock.ts';
import { setConditions } from '../../specs/conditions.ts';
import type { EventRecorder } from '../../specs/event.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import { LimitsRefusedError } from '../drift/mend.ts';
import { EngineError } from '../engine/engine.ts';
import type { Reconcile, Result } from '../runtime/reconciler.ts';
import { MountUnavailableError } from '../mounts/provide.ts';
import { SecretUnavailableError } from '../secrets/open.ts';
import { observe, type Observed, type ObserveDeps } from './observe.ts';
import { recordDeath, recordMending, recordReturn, recordSilence } from './record.ts';
import { backoffMs, plan, type Decision } from './plan.ts';
import { summarize } from './status.ts';
import { apply, type StepDeps } from './steps.ts';

export interface ReplicaDeps extends Omit<ObserveDeps, 'engine'>, Omit<StepDeps, 'engine'> {
  engine: ObserveDeps['engine'] & StepDeps['engine'];
  clock: Clock;
  events: EventRecorder;
  /** Wakes this replica when the ingress has something new to say. */
  awaitRoutes: (replicaId: string) => void;
}

export function replicaReconciler(deps: ReplicaDeps): Reconcile {
  return async (id, { signal }) => {
    const row = await deps.store.get('Replica', id);
    if (!row) return removeLeftover(id, deps);
    try {
      return await pass(row, deps, signal);
    } catch (error) {
      if (row.deleted_at !== null && error instanceof EngineError) await reportTrouble(row, error, deps);
      throw error;
    }
  };
}

async function pass(
  row: Row<'Replica'>,
  deps: ReplicaDeps,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const observed = await observe(row, deps);
  const now = deps.clock.now();
  const decision = plan(row, observed, now);
  if (decision.awaitRoutes) deps.awaitRoutes(row.id);
  const { container, refusal, limitsRefused } = await attempt(row, observed, decision, deps, signal);
  const said = refusal ? refused(row, refusal, now) : decision;
  const outcome = { ...said, message: deps.masks.text(row.spec.project_id, said.message), limitsRefused };
  const status = summarize(row, observed, outcome, container, now);
  await deps.store.patchStatus('Replica', row.id, row.generation, status);
  if (!refusal) recordMending(row, { ...decision, limitsRefused }, deps.events);
  // One that was stopped on purpose did not die.
  if (outcome.exit && outcome.phase === 'Exited') recordDeath(row, outcome, deps.events);
  else recordReturn(row, outcome, deps.events);
  recordSilence(row, outcome, deps.events);
  return outcome.requeueAfter === undefined ? undefined : { requeueAfter: outcome.requeueAfter };
}

/** Whoever waits for something to be gone wants to know for what. */
async function reportTrouble(
  row: Row<'Replica'>,
  error: EngineError,
  { store, clock, masks }: ReplicaDeps,
): Promise<void> {
  const message = masks.text(row.spec.project_id, error.message);
  const finding = { type: 'Ready', status: 'False', reason: 'EngineUnavailable', message } as const;
  const conditions = setConditions(row.status.conditions, [finding], timestamp(clock.now()));
  await store.patchStatus('Replica', row.id, row.generation, { conditions });
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

type Refusal = Pick<Decision, 'reason' | 'message'>;

/** Applies the steps. That the workload cannot be run as it is asked for is a finding, not a fault of the pass. */
async function attempt(
  row: Row<'Replica'>,
  observed: Observed,
  { steps }: Decision,
  deps: ReplicaDeps,
  signal: AbortSignal,
): Promise<{ container: string | null; refusal?: Refusal; limitsRefused?: string }> {
  try {
    return { container: await apply(steps, row, observed, deps, signal) };
  } catch (error) {
    const container = observed.container?.id ?? row.status.container;
    if (error instanceof LimitsRefusedError) return { container, limitsRefused: error.message };
    if (error instanceof SecretUnavailableError)
      return { container, refusal: { reason: 'SecretUnavailable', message: error.message } };
    if (error instanceof MountUnavailableError)
      return { container, refusal: { reason: 'MountUnavailable', message: error.message } };
    if (error instanceof EngineError && error.code === 'refused')
      return { container, refusal: { reason: 'StartFailed', message: error.message } };
    throw error;
  }
}

function refused(row: Row<'Replica'>, refusal: Refusal, now: number): Decision {
  const crashes = row.status.crashes + 1;
  const restartAt = new Date(now + backoffMs(crashes + 1)).toISOString();
  const exit = { crashes, restart_at: restartAt, last_exit: null };
  return { steps: [], phase: 'Exited', ...refusal, exit, requeueAfter: 0 };
}
