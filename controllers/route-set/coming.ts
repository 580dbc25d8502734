/**
 * Which replicas a route set that is on its way to the ingress leads to. Between the reading of the rows and the moment at which
 * the ingress knows what follows from them one of these may be told to go. It must not stop then as if nothing led to it.
 */
import type { Ingress } from '../../ingress/index.ts';

export interface Coming {
  /** Will be published. To be called within the transaction that it was read in: so whatever is told to go later sees it. */
  add(replicas: Iterable<string>): void;
  /** What was added is published, or never will be. Not to be called after a pass that failed: nobody knows then. */
  settle(): void;
  has(replica: string): boolean;
}

/** What those who stop replicas ask of the ingress. */
export type RoutesView = Pick<Ingress, 'applied' | 'isRouted' | 'isIdle' | 'traffic'>;

export function createComing(): Coming {
  const coming = new Set<string>();
  return {
    add(replicas) {
      for (const replica of replicas) coming.add(replica);
    },
    settle: () => coming.clear(),
    has: (replica) => coming.has(replica),
  };
}

/** @returns the view of the ingress that also knows what is coming */
export function withComing(ingress: RoutesView, coming: Pick<Coming, 'has'>): RoutesView {
  return {
    applied: () => ingress.applied(),
    traffic: () => ingress.traffic(),
    isRouted: (replica) => coming.has(replica) || ingress.isRouted(replica),
    isIdle: (replica) => !coming.has(replica) && ingress.isIdle(replica),
  };
}
