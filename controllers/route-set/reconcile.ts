/**
 * One pass over the route set: there is only one, and its observed half is what the ingress says it serves. A route set
 * equal to the last one is not published again.
 */
import { canonicalJson } from '../../specs/revision.ts';
import type { Ingress } from '../../ingress/index.ts';
import type { Reconcile } from '../runtime/reconciler.ts';
import { observe, type ObserveDeps } from './observe.ts';
import { installPairs, type PairDeps } from './pairs.ts';
import { plan, type RouteSettings } from './plan.ts';

export interface RouteSetDeps extends ObserveDeps, RouteSettings, Omit<PairDeps, 'ingress'> {
  ingress: PairDeps['ingress'] & Pick<Ingress, 'publish'>;
}

export function routeSetReconciler(deps: RouteSetDeps): Reconcile {
  let published: string | undefined;
  return async () => {
    const observed = await observe(deps);
    const routes = await installPairs(plan(observed, deps), observed.certificates, deps);
    const text = canonicalJson(routes);
    if (text === published) return undefined;
    await deps.ingress.publish(routes);
    published = text;
    return undefined;
  };
}
