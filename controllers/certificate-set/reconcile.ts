/** One pass over the set of certificates, of which there is one. It only writes what is wanted. */
import type { Reconcile } from '../runtime/reconciler.ts';
import { observe, type ObserveDeps } from './observe.ts';
import { plan, type CertificateSettings } from './plan.ts';
import { apply, type StepDeps } from './steps.ts';

export interface CertificateSetDeps extends ObserveDeps, StepDeps, CertificateSettings {}

export function certificateSetReconciler(deps: CertificateSetDeps): Reconcile {
  return async () => {
    await apply(plan(await observe(deps), deps), deps);
    return undefined;
  };
}
