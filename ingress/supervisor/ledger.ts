/**
 * Adds up what the workers counted, also those that ended: what they told last stays. What a worker counted in its last
 * second before a kill -9 is not known to anybody. Bounded: only what snapshots name is kept, and for a while after.
 */
import type { ServiceRoute, Snapshot } from '../snapshot.ts';
import {
  addServiceTraffic,
  addTraffic,
  noServiceTraffic,
  noTraffic,
  type ServiceTotals,
  type ServiceTraffic,
  type Traffic,
  type TrafficChanges,
  type TrafficTotals,
} from '../traffic.ts';

/** Milliseconds that a replica or a service is remembered which no snapshot names any longer. */
const forgetAfter = 10 * 60_000;

/** Replicas that a member speaks of and no snapshot named, which may be of a time before this control plane. */
const mostUnnamed = 1_000;

export interface Ledger {
  /** What is wanted from now on. @param now milliseconds */
  publish(snapshot: Snapshot, now: number): void;
  /** A worker told. @param worker stands for its process */
  told(worker: object, changes: TrafficChanges, now: number): void;
  /** The worker ended. */
  gone(worker: object): void;
  totals(): TrafficTotals;
}

interface Entry<Figures> {
  /** By those who live, in full each time. */
  living: Map<object, Figures>;
  /** Of those who ended. */
  past: Figures;
  /** When it was first not named any longer. */
  left: number | undefined;
}

interface Replica extends Entry<Traffic> {
  /** Unknown of one that no snapshot named. */
  service: string | undefined;
}

interface Service extends Entry<ServiceTraffic> {
  name: string;
  project: string;
  isParking: boolean;
  /** Of replicas that are forgotten. */
  before: Traffic;
}

export function createLedger(): Ledger {
  const replicas = new Map<string, Replica>();
  const services = new Map<string, Service>();
  let unnamed = 0;
  const forget = (now: number): void => {
    for (const [id, replica] of replicas) {
      if (replica.left === undefined || now - replica.left <= forgetAfter) continue;
      replicas.delete(id);
      if (replica.service === undefined) unnamed -= 1;
      const before = services.get(replica.service ?? '')?.before;
      if (before !== undefined) addTraffic(before, sum(replica, noTraffic, addTraffic));
    }
    for (const [id, { left }] of services)
      if (left !== undefined && now - left > forgetAfter) services.delete(id);
  };
  const name = (id: string, route: ServiceRoute): void => {
    const isParking = route.park !== null;
    const service = services.get(id) ?? newService();
    if (isParking && !service.isParking)
      for (const figures of [service.past, ...service.living.values()]) figures.parked_longest_ms = 0;
    services.set(id, Object.assign(service, { isParking, name: route.name, project: route.project }));
    service.left = undefined;
    for (const replicaId of route.replicas) {
      const replica = replicas.get(replicaId);
      if (replica === undefined) replicas.set(replicaId, newReplica(id, undefined));
      else {
        if (replica.service === undefined) unnamed -= 1;
        Object.assign(replica, { service: id, left: undefined });
      }
    }
  };
  return {
    publish(snapshot, now) {
      for (const entry of [...replicas.values(), ...services.values()]) entry.left ??= now;
      for (const [id, route] of Object.entries(snapshot.services)) name(id, route);
      forget(now);
    },
    told(worker, changes, now) {
      for (const [id, figures] of Object.entries(changes.replicas)) {
        if (!replicas.has(id)) {
          if (unnamed >= mostUnnamed) continue;
          unnamed += 1;
          replicas.set(id, newReplica(undefined, now));
        }
        replicas.get(id)?.living.set(worker, copy(figures, noTraffic, addTraffic));
      }
      for (const [id, figures] of Object.entries(changes.services))
        services.get(id)?.living.set(worker, copy(figures, noServiceTraffic, addServiceTraffic));
    },
    gone(worker) {
      for (const replica of replicas.values()) bury(replica, worker, addTraffic, { open: 0, tunnels: 0 });
      for (const service of services.values()) bury(service, worker, addServiceTraffic, { waiting: 0 });
    },
    totals: () => totals(replicas, services),
  };
}

function newReplica(service: string | undefined, left: number | undefined): Replica {
  return { living: new Map(), past: noTraffic(), left, service };
}

function newService(): Service {
  const names = { name: '', project: '', isParking: false };
  return { ...names, living: new Map(), past: noServiceTraffic(), left: undefined, before: noTraffic() };
}

type Add<Figures> = (into: Figures, from: Figures) => void;

/** @param nothing what has ended with the worker */
function bury<Figures>(
  { living, past }: Entry<Figures>,
  worker: object,
  add: Add<Figures>,
  nothing: Partial<Figures>,
): void {
  const figures = living.get(worker);
  if (figures !== undefined) add(past, { ...figures, ...nothing });
  living.delete(worker);
}

function copy<Figures>(figures: Figures, none: () => Figures, add: Add<Figures>): Figures {
  const copied = none();
  add(copied, figures);
  return copied;
}

function sum<Figures>(entry: Entry<Figures>, none: () => Figures, add: Add<Figures>): Figures {
  const total = none();
  for (const figures of [entry.past, ...entry.living.values()]) add(total, figures);
  return total;
}

function totals(
  replicas: ReadonlyMap<string, Replica>,
  services: ReadonlyMap<string, Service>,
): TrafficTotals {
  const byReplica = new Map([...replicas].map(([id, entry]) => [id, sum(entry, noTraffic, addTraffic)]));
  const byService = new Map<string, ServiceTotals>();
  for (const [id, service] of services) {
    const { name, project, before } = service;
    const total = noTraffic();
    addTraffic(total, before);
    byService.set(id, { ...sum(service, noServiceTraffic, addServiceTraffic), name, project, total });
  }
  for (const [id, traffic] of byReplica) {
    const total = byService.get(replicas.get(id)?.service ?? '')?.total;
    if (total !== undefined) addTraffic(total, traffic);
  }
  return { replicas: Object.fromEntries(byReplica), services: Object.fromEntries(byService) };
}
