/**
 * One pass over the route set: there is only one, and its observed half is what the ingress says it serves. A route set
 * equal to the last one is not published again.
 */
import { canonicalJson } from '../../specs/revision.ts';
import type { Ingress } from '../../ingress/index.ts';
import type { Reconcile } from '../runtime/reconciler.ts';
import { observe, type ObserveDeps } from './observe.ts';
import { installPairs, type PairDeps } from './pairs.ts';
import type { Coming } from './coming.ts';
import { plan, type RouteSettings } from './plan.ts';

export interface RouteSetDeps extends ObserveDeps, RouteSettings, Omit<PairDeps, 'ingress'> {
  ingress: PairDeps['ingress'] & Pick<Ingress, 'publish'>;
  /** Told what is about to be published. */
  coming: Pick<Coming, 'add' | 'settle'>;
}

export function routeSetReconciler(deps: RouteSetDeps): Reconcile {
  let published: string | undefined;
  return async (_, { signal }) => {
    const { planned, rows } = await observe(deps, (observed) => {
      const routes = plan(observed, deps);
      deps.coming.add(Object.keys(routes.upstreams));
      return { planned: routes, rows: observed.certificates };
    });
    const routes = await installPairs(planned, rows, deps);
    // Of one that was given up nothing may be published beside what a later one publishes.
    signal.throwIfAborted();
    const text = canonicalJson(routes);
    if (text !== published) await deps.ingress.publish(routes);
    signal.throwIfAborted();
    published = text;
    deps.coming.settle();
    return undefined;
  };
}
