/**
 * Requests that wait for a replica while a service has none, because one is being replaced by the next: stopped first, for
 * two of them must not run at once. Bodies stay unread, so that nothing is used up and little is held.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ParkLimits } from '../snapshot.ts';
import type { Accepted } from './rules.ts';
import type { Tally } from './tally.ts';

/** Milliseconds between tries while there is a replica that takes no connection. */
const tryEvery = 500;

/** One that waits. */
export interface Waiter {
  /** Of the service. */
  readonly service: string;
  /** Bytes that it holds at most. */
  readonly size: number;
  /** Since when it waits for a replica. Milliseconds of `performance.now`. */
  readonly since: number;
  /** It is its turn to try again. It may come back. */
  go(): void;
  /** It has waited for too long. */
  refuse(): void;
}

interface Queue {
  /** In the order in which they came. Each with what ends its wait. */
  waiters: Map<Waiter, NodeJS.Timeout>;
  size: number;
  retry: NodeJS.Timeout | undefined;
}

export interface Parking {
  /**
   * @param first it has not waited before
   * @returns false when there is no room, or it has waited for too long already
   */
  park(waiter: Waiter, limits: ParkLimits, first: boolean): boolean;
  /** Its client has gone. Of one that does not wait: nothing. */
  leave(waiter: Waiter): void;
  /** Lets all of a service go, in order. */
  release(service: string): void;
  /** Lets them try from time to time: there are replicas, but none takes a connection. */
  tryAgain(service: string): void;
  /** Refuses all that wait: there will be no replica any longer. */
  refuse(): void;
  /** Services that somebody waits for. */
  services(): string[];
}

export function createParking(tally: Tally): Parking {
  const queues = new Map<string, Queue>();
  const leave = (waiter: Waiter): void => {
    const queue = queues.get(waiter.service);
    const timer = queue?.waiters.get(waiter);
    if (queue === undefined || timer === undefined) return;
    clearTimeout(timer);
    queue.waiters.delete(waiter);
    queue.size -= waiter.size;
    const counted = tally.service(waiter.service);
    const { figures } = counted;
    figures.waiting -= 1;
    figures.parked_longest_ms = Math.max(figures.parked_longest_ms, performance.now() - waiter.since);
    counted.touch();
    if (queue.waiters.size > 0) return;
    clearTimeout(queue.retry);
    queues.delete(waiter.service);
  };
  const refuse = (waiter: Waiter): void => {
    leave(waiter);
    waiter.refuse();
  };
  const release = (service: string): void => {
    for (const waiter of [...(queues.get(service)?.waiters.keys() ?? [])]) {
      leave(waiter);
      waiter.go();
    }
  };
  return {
    park(waiter, limits, first) {
      const queue = queues.get(waiter.service) ?? { waiters: new Map(), size: 0, retry: undefined };
      const counted = tally.service(waiter.service);
      if (first) counted.figures.parked += 1;
      const left = waiter.since + limits.ms - performance.now();
      const full = queue.waiters.size >= limits.requests || queue.size + waiter.size > limits.bytes;
      if (full || left <= 0) return false;
      queues.set(waiter.service, queue);
      queue.waiters.set(waiter, setTimeout(refuse, left, waiter));
      queue.size += waiter.size;
      counted.figures.waiting += 1;
      counted.touch();
      return true;
    },
    leave,
    release,
    tryAgain(service) {
      const queue = queues.get(service);
      if (queue === undefined || queue.retry !== undefined) return;
      queue.retry = setTimeout(() => {
        queue.retry = undefined;
        release(service);
      }, tryEvery);
    },
    refuse() {
      for (const waiter of [...queues.values()].flatMap(({ waiters }) => [...waiters.keys()])) refuse(waiter);
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
