/** One pass over one challenge: observe, plan, apply. */
import { AcmeError } from '../acme/acme.ts';
import type { Reconcile } from '../runtime/reconciler.ts';
import { observe, type ObserveDeps } from './observe.ts';
import { plan } from './plan.ts';
import { consequenceOf } from './status.ts';
import { apply, type StepDeps } from './steps.ts';

export interface ChallengeDeps extends Omit<ObserveDeps, 'acme'>, Omit<StepDeps, 'acme'> {
  acme: ObserveDeps['acme'] & StepDeps['acme'];
  /** Wakes this challenge when the ingress has something new to say. */
  awaitRoutes: (challengeId: string) => void;
}

export function challengeReconciler(deps: ChallengeDeps): Reconcile {
  return async (id, { signal }) => {
    const row = await deps.store.get('Challenge', id);
    if (!row) return undefined;
    try {
      // Before it looks: nothing that comes in between is missed.
      if (row.status.phase === 'Pending' && row.deleted_at === null) deps.awaitRoutes(id);
      const { steps, requeueAfter } = plan(row, await observe(row, deps, signal));
      for (const step of steps) await apply(step, row, deps, signal);
      return requeueAfter === undefined ? undefined : { requeueAfter };
    } catch (error) {
      if (!(error instanceof AcmeError)) throw error;
      signal.throwIfAborted();
      const { status, requeueAfter } = consequenceOf(error);
      await deps.store.patchStatus('Challenge', id, row.generation, status, { durable: true });
      return requeueAfter === undefined ? undefined : { requeueAfter };
    }
  };
}
