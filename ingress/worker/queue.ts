/** Those of one service that wait for a replica, and how they are let go once there is one. */
import type { ServiceTraffic } from '../traffic.ts';

/**
 * How many are on their way at once when they are let go. A replica that has just begun to serve must not get seconds' worth of
 * requests in one moment, each over a connection of its own: it would be too busy to take them.
 */
const atOnce = 64;
/** Milliseconds after which the next one goes, should an answer take long. */
const turn = 100;

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

export class Queue {
  /** In the order in which they came. Each with what ends its wait. */
  readonly #waiters = new Map<Waiter, NodeJS.Timeout>();
  /** Those that went and have no answer yet, each with what ends its turn. */
  readonly #going = new Map<Waiter, NodeJS.Timeout>();
  readonly #figures: () => ServiceTraffic;
  #size = 0;
  #isOpen = false;
  #retry: NodeJS.Timeout | undefined;

  /** @param figures to count in: called for each change */
  constructor(figures: () => ServiceTraffic) {
    this.#figures = figures;
  }

  /** Nobody waits, nor is on the way. */
  get isEmpty(): boolean {
    return this.#waiters.size === 0 && this.#going.size === 0;
  }

  waiters(): Waiter[] {
    return [...this.#waiters.keys()];
  }

  hasRoomFor(waiter: Waiter, limits: { requests: number; bytes: number }): boolean {
    return this.#waiters.size < limits.requests && this.#size + waiter.size <= limits.bytes;
  }

  /** @param over calls back when its time is over, in milliseconds */
  add(waiter: Waiter, over: () => void, ms: number): void {
    this.#waiters.set(waiter, setTimeout(over, ms));
    this.#size += waiter.size;
    this.#figures().waiting += 1;
  }

  /** It is back, if it was on its way: then there is nobody for the others either. */
  comesBack(waiter: Waiter): void {
    if (this.#going.has(waiter)) this.#isOpen = false;
    this.#endTurn(waiter);
  }

  /** It has its answer, or its client has gone. */
  leave(waiter: Waiter): void {
    this.#depart(waiter);
    this.#endTurn(waiter);
    this.#advance();
  }

  release(): void {
    this.#isOpen = true;
    this.#advance();
  }

  hold(): void {
    this.#isOpen = false;
    clearTimeout(this.#retry);
    this.#retry = undefined;
  }

  /** Milliseconds. */
  releaseIn(ms: number): void {
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.release();
    }, ms);
  }

  #advance(): void {
    if (!this.#isOpen) return;
    // Not those that come back meanwhile.
    const due: Waiter[] = [];
    for (const waiter of this.#waiters.keys()) {
      if (due.length + this.#going.size >= atOnce) break;
      due.push(waiter);
    }
    for (const waiter of due) {
      this.#depart(waiter);
      this.#going.set(
        waiter,
        setTimeout(() => this.leave(waiter), turn),
      );
      waiter.go();
    }
  }

  #depart(waiter: Waiter): void {
    clearTimeout(this.#waiters.get(waiter));
    if (!this.#waiters.delete(waiter)) return;
    this.#size -= waiter.size;
    const figures = this.#figures();
    figures.waiting -= 1;
    figures.parked_longest_ms = Math.max(figures.parked_longest_ms, performance.now() - waiter.since);
  }

  #endTurn(waiter: Waiter): void {
    clearTimeout(this.#going.get(waiter));
    this.#going.delete(waiter);
  }
}
