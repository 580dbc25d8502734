/** Requests of a simulated node: workers send them where they route, replicas answer as is their nature, and all is counted. */
import { noTraffic } from '../../ingress/index.ts';
import type { World } from './world.ts';

/** So many requests for a service, at once, by each worker's own routes. What nobody is routed to counts as unavailable. */
export function send(
  { ingress, truth }: Pick<World, 'ingress' | 'truth'>,
  service: string,
  count: number,
): void {
  const routes = ingress.served().flatMap((snapshot) => snapshot?.services[service] ?? []);
  for (const { replicas, running } of routes) {
    if (!running) continue;
    for (const id of replicas) {
      const figures = (ingress.traffic.replicas[id] ??= noTraffic());
      const share = Math.ceil(count / replicas.length);
      const isThere = truth.serves(id);
      figures.requests += share;
      if (isThere) figures.answered += share;
      else figures.failed += share;
      if (isThere && truth.errs(id)) figures.errors += Math.ceil(share / 2);
    }
  }
}
