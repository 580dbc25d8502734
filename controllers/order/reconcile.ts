/** One pass over one order: observe, plan, apply. That the authority does not do as it is asked is a finding, not a fault. */
import { SealedValueError } from '../../api/store/vault.ts';
import type { Row } from '../../specs/index.ts';
import { AcmeError } from '../acme/acme.ts';
import type { Reconcile, Result } from '../runtime/reconciler.ts';
import { observe, type ObserveDeps } from './observe.ts';
import { plan } from './plan.ts';
import { consequenceOf } from './status.ts';
import { apply, type StepDeps } from './steps.ts';

export interface OrderDeps extends Omit<ObserveDeps, 'acme'>, Omit<StepDeps, 'acme'> {
  acme: ObserveDeps['acme'] & StepDeps['acme'];
}

export function orderReconciler(deps: OrderDeps): Reconcile {
  return async (id, { signal }) => {
    const row = await deps.store.get('Order', id);
    if (!row) return undefined;
    try {
      return await pass(row, deps, signal);
    } catch (error) {
      if (error instanceof AcmeError) return settle(row, error, deps, signal);
      // Its key is lost: another order has another.
      if (error instanceof SealedValueError)
        return settle(row, new AcmeError('refused', error.message), deps, signal);
      throw error;
    }
  };
}

async function pass(row: Row<'Order'>, deps: OrderDeps, signal: AbortSignal): Promise<Result | undefined> {
  const { steps, requeueAfter } = plan(row, await observe(row, deps, signal), deps.clock.now());
  for (const step of steps) {
    signal.throwIfAborted();
    await apply(step, row, deps, signal);
  }
  return requeueAfter === undefined ? undefined : { requeueAfter };
}

async function settle(
  row: Row<'Order'>,
  error: AcmeError,
  deps: OrderDeps,
  signal: AbortSignal,
): Promise<Result | undefined> {
  signal.throwIfAborted();
  const consequence = consequenceOf(error, deps.clock.now());
  if (consequence.how === 'fail') {
    await apply(consequence.step, row, deps, signal);
    return undefined;
  }
  await deps.store.patchStatus('Order', row.id, row.generation, { last_error: consequence.error });
  return { requeueAfter: consequence.ms };
}
