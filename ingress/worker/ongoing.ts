/** What is under way, waiting or leaving in a worker, and what a swap of routes means for it. */
import type { TrafficChanges } from '../traffic.ts';
import { createDrains, spread, type Drains } from './drains.ts';
import { createParking, type Parking } from './parking.ts';
import type { Route, Routes } from './routes.ts';
import { createTally, type Tally } from './tally.ts';
import { createUsage, type Usage } from './usage.ts';

export interface OngoingEvents {
  /** The last request of a replica that is not routed has ended. */
  idle(replica: string): void;
  /** There are figures to tell, for the first time since `changes` was called. */
  counted(): void;
}

export interface Ongoing {
  tally: Tally;
  usage: Usage;
  parking: Parking;
  /** To be called when the routes have been swapped. */
  swapped(before: Routes): void;
  /** The worker ends: everything that lasts is asked to, and at the end of the time the rest is cut. Milliseconds. */
  end(ms: number): void;
  /** No client is there any longer: what is left of their requests is over, and its figures are final. */
  over(): void;
  changes(all: boolean): TrafficChanges | undefined;
}

/** @param routes as they are now */
export function createOngoing(routes: () => Routes, events: OngoingEvents): Ongoing {
  const tally = createTally(() => events.counted());
  const usage = createUsage(
    tally,
    (replica) => routes().routed(replica),
    (replica) => events.idle(replica),
  );
  const [parking, drains] = [createParking(tally), createDrains(usage)];
  return {
    ...{ tally, usage, parking },
    swapped(before) {
      const now = routes();
      drain(drains, before, now);
      for (const { id, park } of now.services())
        if (park !== null && (before.service(id)?.park ?? null) === null)
          tally.service(id).figures.parked_longest_ms = 0;
      for (const id of parking.services())
        if (isHeld(now.service(id))) parking.hold(id);
        else parking.release(id);
      tally.retain({
        replica: (id) => now.routed(id),
        service: (id) => now.service(id) !== undefined,
      });
    },
    end(ms) {
      drains.end(ms);
      // An answer is better than the end of the connection.
      setTimeout(() => parking.refuse(), spread * ms).unref();
    },
    over() {
      for (const use of usage.underWay()) use.end();
    },
    changes: (all) => tally.changes(all),
  };
}

/** Replicas that leave together are those of one service; one that is gone had the last say about them while it was there. */
function drain(drains: Drains, before: Routes, now: Routes): void {
  for (const replica of drains.leaving()) if (now.routed(replica)) drains.stay(replica);
  for (const { id, replicas, drain_ms } of before.services()) {
    const left = replicas.filter((replica) => before.routed(replica) && !now.routed(replica));
    if (left.length > 0) drains.leave(left, now.service(id)?.drain_ms ?? drain_ms);
  }
}

/** Whether its requests are to wait on. */
function isHeld(route: Route | undefined): boolean {
  return route !== undefined && route.running && route.park !== null && route.replicas.length === 0;
}
