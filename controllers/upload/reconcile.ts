/** One pass over one upload: observe, plan, apply. It has nothing to report: it is there, or it is gone. */
import type { Clock } from '../../specs/clock.ts';
import type { Reconcile } from '../runtime/reconciler.ts';
import { observe, type ObserveDeps } from './observe.ts';
import { plan } from './plan.ts';
import { apply, type StepDeps } from './steps.ts';

export interface UploadDeps extends ObserveDeps, StepDeps {
  clock: Clock;
}

export function uploadReconciler(deps: UploadDeps): Reconcile {
  return async (id) => {
    const row = await deps.store.get('Upload', id);
    if (!row) return undefined;
    const { steps, requeueAfter } = plan(row, await observe(row, deps), deps.clock.now());
    for (const step of steps) await apply(step, row, deps);
    return requeueAfter === undefined ? undefined : { requeueAfter };
  };
}
