/**
 * Requests that wait for a replica while a service has none, because one is being replaced by the next: stopped first, for
 * two of them must not run at once. Bodies stay unread, so that nothing is used up and little is held.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ParkLimits } from '../snapshot.ts';
import { Queue, type Waiter } from './queue.ts';
import type { Accepted } from './rules.ts';
import type { Tally } from './tally.ts';

export type { Waiter } from './queue.ts';

/** Milliseconds between tries while there is a replica that takes no connection. */
const tryEvery = 500;

export interface Parking {
  /**
   * @param first it has not waited before
   * @returns false when there is no room, or it has waited for too long already
   */
  park(waiter: Waiter, limits: ParkLimits, first: boolean): boolean;
  /** It has its answer, or its client has gone. Of one that is not known: nothing. */
  leave(waiter: Waiter): void;
  /** Lets all of a service go, in order, some at a time. */
  release(service: string): void;
  /** Lets no more of them go. */
  hold(service: string): void;
  /** Lets them try from time to time: there are replicas, but none takes a connection. */
  tryAgain(service: string): void;
  /** Refuses all that wait: there will be no replica any longer. */
  refuse(): void;
  /** Services that somebody waits for. */
  services(): string[];
}

export function createParking(tally: Tally): Parking {
  const queues = new Map<string, Queue>();
  const queueOf = (service: string): Queue => {
    const known = queues.get(service);
    if (known !== undefined) return known;
    const queue = new Queue(() => {
      const counted = tally.service(service);
      counted.touch();
      return counted.figures;
    });
    queues.set(service, queue);
    return queue;
  };
  const leave = (waiter: Waiter): void => {
    const queue = queues.get(waiter.service);
    queue?.leave(waiter);
    if (queue?.isEmpty === true) {
      queue.hold();
      queues.delete(waiter.service);
    }
  };
  const refuse = (waiter: Waiter): void => {
    leave(waiter);
    waiter.refuse();
  };
  return {
    park(waiter, limits, first) {
      const queue = queueOf(waiter.service);
      queue.comesBack(waiter);
      if (first) tally.service(waiter.service).figures.parked += 1;
      const left = waiter.since + limits.ms - performance.now();
      if (left <= 0 || !queue.hasRoomFor(waiter, limits)) {
        leave(waiter);
        return false;
      }
      queue.add(waiter, () => refuse(waiter), left);
      return true;
    },
    leave,
    release: (service) => queues.get(service)?.release(),
    hold: (service) => queues.get(service)?.hold(),
    tryAgain: (service) => queues.get(service)?.releaseIn(tryEvery),
    refuse() {
      for (const waiter of [...queues.values()].flatMap((queue) => queue.waiters())) refuse(waiter);
    },
    services: () => [...queues.keys()],
  };
}

/** Bytes of a body that node:http reads before it stops: what its buffer takes, and the chunk that fills it. */
const readAhead = 64 * 1024;

/** @returns how many bytes a request holds at most while nobody reads its body */
export function heldBy(
  { url = '', rawHeaders, headers, readableHighWaterMark }: IncomingMessage,
  framing: Accepted['framing'],
  upgrade: Socket | undefined,
): number {
  const head = rawHeaders.reduce((size, text) => size + text.length, url.length);
  if (upgrade !== undefined) return head + upgrade.readableHighWaterMark;
  if (framing === 'none') return head;
  const body = framing === 'length' ? Number(headers['content-length']) : Infinity;
  return head + Math.min(body, readableHighWaterMark + readAhead);
}
