/** One pass over one certificate: observe, plan, apply, and status once. */
import type { Reconcile } from '../runtime/reconciler.ts';
import { observe, type ObserveDeps } from './observe.ts';
import { plan, type Directories } from './plan.ts';
import { report, type ReportDeps } from './report.ts';
import { summarize } from './status.ts';
import { apply, type StepDeps } from './steps.ts';

export interface CertificateDeps extends ObserveDeps, StepDeps, ReportDeps {
  directories: Directories;
}

export function certificateReconciler(deps: CertificateDeps): Reconcile {
  return async (id) => {
    const row = await deps.store.get('Certificate', id);
    if (!row) return undefined;
    const now = deps.clock.now();
    const { steps, waiting, requeueAfter } = plan(row, await observe(row, deps), deps.directories, now);
    // First, for an order that is taken in changes what there is to say: the pass after it says that.
    const status = summarize(row, waiting, now);
    await deps.store.patchStatus('Certificate', row.id, row.generation, status);
    for (const step of steps) {
      await apply(step, row, deps);
      report(step, row, deps);
    }
    if (steps.some((step) => step.do === 'take' || step.do === 'giveUp')) return { requeueAfter: 0 };
    return requeueAfter === undefined ? undefined : { requeueAfter };
  };
}
