/** One pass over one service: observe, plan, apply, and status once. Nothing here decides. */
import type { Reconcile } from '../runtime/reconciler.ts';
import { observe, type ObserveDeps } from './observe.ts';
import { plan } from './plan.ts';
import { summarize } from './status.ts';
import { apply, type StepDeps } from './steps.ts';

export interface ServiceDeps extends ObserveDeps, StepDeps {}

export function serviceReconciler(deps: ServiceDeps): Reconcile {
  return async (id) => {
    const row = await deps.store.get('Service', id);
    if (!row) return undefined;
    const observed = await observe(row, deps);
    const { steps, configuration } = plan(row, observed);
    const { state } = configuration;
    // Status first: an engine that cannot give an image up must not hide how the service is.
    const isDue = state === 'due' || state === 'resized';
    if (!isDue) {
      // A generation is observed once it has its deployment: whoever waits for it then looks at the right target.
      const seen = state === 'waiting' ? row.observed_generation : row.generation;
      const status = summarize(row, observed, configuration, deps.clock.now());
      await deps.store.patchStatus('Service', id, seen, status);
    }
    for (const step of steps) await apply(step, row, deps);
    return isDue ? { requeueAfter: 0 } : undefined;
  };
}
