/**
 * One pass over one project: observe, plan, apply, and status once. Runs one at a time over all projects, so that two
 * never claim the same range.
 */
import type { Clock } from '../../specs/clock.ts';
import { networkName } from '../engine/names.ts';
import type { Reconcile } from '../runtime/reconciler.ts';
import { observe, type ObserveDeps } from './observe.ts';
import { plan } from './plan.ts';
import { summarize } from './status.ts';
import { apply, type StepDeps } from './steps.ts';

export interface ProjectDeps extends Omit<ObserveDeps, 'engine'>, Omit<StepDeps, 'engine'> {
  engine: ObserveDeps['engine'] & StepDeps['engine'];
  clock: Clock;
}

export function projectReconciler(deps: ProjectDeps): Reconcile {
  return async (id) => {
    const row = await deps.store.get('Project', id);
    if (!row) return undefined;
    const observed = await observe(row, deps);
    const { steps } = plan(row, observed, networkName(deps.nodeId, row));
    let known = { subnet: row.status.subnet, network: row.status.network };
    for (const step of steps) known = await apply(step, row, deps);
    // Durable: the network is made in the range that is written down here, and in no other.
    const status = summarize(row, known, deps.clock.now());
    await deps.store.patchStatus('Project', id, row.generation, status, { durable: true });
    return known.network === null ? { requeueAfter: 0 } : undefined;
  };
}
