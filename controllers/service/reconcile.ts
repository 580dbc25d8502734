/** One pass over one service: observe, plan, apply, and status once. Nothing here decides. */
import type { Clock } from '../../specs/clock.ts';
import type { Reconcile } from '../runtime/reconciler.ts';
import { observe, type ObserveDeps } from './observe.ts';
import { plan } from './plan.ts';
import { summarize } from './status.ts';
import { apply, type StepDeps } from './steps.ts';

export interface ServiceDeps extends ObserveDeps, StepDeps {
  clock: Clock;
}

export function serviceReconciler(deps: ServiceDeps): Reconcile {
  return async (id) => {
    const row = await deps.store.get('Service', id);
    if (!row) return undefined;
    const observed = await observe(row, deps);
    // Status first: an engine that cannot give an image up must not hide how the service is.
    await deps.store.patchStatus('Service', id, row.generation, summarize(row, observed, deps.clock.now()));
    for (const step of plan(row, observed).steps) await apply(step, row, deps);
    return undefined;
  };
}
