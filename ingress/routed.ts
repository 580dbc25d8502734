/** What a snapshot routes to. Pure; both sides of the control socket must mean the same by it. */
import type { Snapshot } from './snapshot.ts';

/** Ids of the replicas that a worker may send a new request to. */
export function routedReplicas(snapshot: Snapshot): Set<string> {
  const services = Object.values(snapshot.services).filter((service) => service.running);
  return new Set(services.flatMap((service) => service.replicas));
}
