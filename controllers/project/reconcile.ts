/**
 * One pass over one project: observe, plan, apply, and status once. Runs one at a time over all projects, so that two
 * never claim the same range.
 */
import type { Clock } from '../../specs/clock.ts';
import type { EventRecorder } from '../../specs/event.ts';
import type { Row } from '../../specs/index.ts';
import { ProjectReason } from '../../specs/reasons.ts';
import { EngineError } from '../engine/engine.ts';
import { networkName } from '../engine/names.ts';
import type { Reconcile, Result } from '../runtime/reconciler.ts';
import type { HostNetwork } from './host-network.ts';
import { observe, type ObserveDeps } from './observe.ts';
import { plan, type Decision } from './plan.ts';
import { summarize } from './status.ts';
import { apply, type Known, type StepDeps } from './steps.ts';

export interface ProjectDeps extends Omit<ObserveDeps, 'engine' | 'host'>, Omit<StepDeps, 'engine' | 'host'> {
  host: HostNetwork;
  engine: ObserveDeps['engine'] & StepDeps['engine'];
  clock: Clock;
  events: EventRecorder;
}

/** Milliseconds until an engine that kept a network, or was away, is asked again. */
const retryAfter = 5_000;

export function projectReconciler(deps: ProjectDeps): Reconcile {
  return async (id) => {
    const row = await deps.store.get('Project', id);
    if (!row) return undefined;
    if (row.deleted_at !== null) return remove(row, deps);
    const { known } = await act(row, deps);
    await report(row, known, undefined, deps);
    if (row.status.network !== null && known.network !== row.status.network)
      recordReturn(row, known, deps.events);
    return known.network === null ? { requeueAfter: 0 } : undefined;
  };
}

function recordReturn({ id, name, status }: Row<'Project'>, known: Known, events: EventRecorder): void {
  const message =
    known.subnet === status.subnet
      ? 'Its network was removed by hand, and was made again.'
      : `Its network was removed by hand, and another network has its range ${status.subnet} now: it is made again as ${known.subnet}, and all replicas are replaced.`;
  const of = { project_id: id, service_id: null, name };
  events.record({
    kind: 'Project',
    object: id,
    ...of,
    type: 'Warning',
    reason: ProjectReason.Drifted,
    message,
  });
}

/** That the engine is away is a finding here, not a fault of the pass: somebody waits and wants to know for what. */
async function remove(row: Row<'Project'>, deps: ProjectDeps): Promise<Result | undefined> {
  try {
    const { known, waiting } = await act(row, deps);
    if (waiting) await report(row, known, waiting, deps);
    return undefined;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const waiting = { reason: 'EngineUnavailable', message: error.message } as const;
    await report(row, row.status, waiting, deps);
    return { requeueAfter: retryAfter };
  }
}

async function act(
  row: Row<'Project'>,
  deps: ProjectDeps,
): Promise<{ known: Known; waiting: Decision['waiting'] }> {
  const observed = await observe(row, deps);
  const { steps, waiting } = plan(row, observed, networkName(deps.nodeId, row));
  const { subnet, network, network_name } = row.status;
  let known: Known = { subnet, network, network_name };
  for (const step of steps) known = await apply(step, row, known, deps);
  return { known, waiting };
}

/** Durable: the network is made in the range and under the name that are written down here, and in no other. */
async function report(
  row: Row<'Project'>,
  { subnet, network, network_name }: Known,
  waiting: Decision['waiting'],
  { store, clock }: ProjectDeps,
): Promise<void> {
  const status = summarize(row, { subnet, network, network_name }, waiting, clock.now());
  await store.patchStatus('Project', row.id, row.generation, status, { durable: true });
}
