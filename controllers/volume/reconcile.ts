/** One pass over one volume: observe, plan, apply, and status once. Nothing here decides. */
import type { Store } from '../../api/store/store.ts';
import type { Clock } from '../../specs/clock.ts';
import { EngineError } from '../engine/engine.ts';
import type { Reconcile } from '../runtime/reconciler.ts';
import { observe, type ObserveDeps } from './observe.ts';
import { plan } from './plan.ts';
import { kept, readiness, summarize } from './status.ts';
import { apply, type StepDeps } from './steps.ts';

export interface VolumeDeps extends Omit<ObserveDeps, 'engine'>, Omit<StepDeps, 'engine' | 'store'> {
  store: Store;
  engine: ObserveDeps['engine'] & StepDeps['engine'];
  clock: Clock;
}

/** Milliseconds until an engine that kept a volume, or was away, is asked again. */
const retryAfter = 5_000;

export function volumeReconciler(deps: VolumeDeps): Reconcile {
  const { store, clock } = deps;
  return async (id, { signal }) => {
    const row = await store.get('Volume', id);
    if (!row) return undefined;
    try {
      const observed = await observe(row, deps);
      for (const step of plan(row, observed)) {
        signal.throwIfAborted();
        await apply(step, id, deps);
      }
      if (row.deleted_at !== null) return undefined;
      const status = summarize(row, readiness(row, observed), clock.now());
      await store.patchStatus('Volume', id, row.generation, status);
      return undefined;
    } catch (error) {
      // That it cannot go yet is a finding: somebody waits for it and wants to know for what.
      if (row.deleted_at === null || !(error instanceof EngineError)) throw error;
      const status = summarize(row, kept(error), clock.now());
      await store.patchStatus('Volume', id, row.generation, status);
      return { requeueAfter: retryAfter };
    }
  };
}
