/** One pass over one domain: observe, plan, apply. A look at it writes its own verdict. */
import type { Reconcile } from '../runtime/reconciler.ts';
import { observe, type ObserveDeps } from './observe.ts';
import { plan } from './plan.ts';
import { deletion } from './status.ts';
import { apply, type StepDeps } from './steps.ts';

export interface DomainDeps extends ObserveDeps, StepDeps {}

export function domainReconciler(deps: DomainDeps): Reconcile {
  return async (id, { signal }) => {
    const row = await deps.store.get('Domain', id);
    if (!row) return undefined;
    const { steps, requeueAfter } = plan(row, await observe(row, deps), deps.clock.now());
    if (row.deleted_at !== null && !steps.some((step) => step.do === 'purge'))
      await deps.store.patchStatus('Domain', id, row.generation, deletion(row, deps.clock.now()));
    for (const step of steps) {
      signal.throwIfAborted();
      await apply(step, row, deps, signal);
    }
    return requeueAfter === undefined ? undefined : { requeueAfter };
  };
}
