/** A clock that tests drive by hand. */
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../specs/clock.ts';

interface Timer {
  at: number;
  fn: () => void;
}

export class ManualClock implements Clock {
  private time: number;
  private readonly timers = new Set<Timer>();

  /** @param start milliseconds since the epoch */
  constructor(start = Date.UTC(2030, 0, 1)) {
    this.time = start;
  }

  now(): number {
    return this.time;
  }

  after(ms: number, fn: () => void): () => void {
    const timer = { at: this.time + Math.max(0, ms), fn };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  /** How many timers wait. */
  get pending(): number {
    return this.timers.size;
  }

  /** Lets `ms` pass: runs what falls due, in order, and lets promises settle between. */
  async advance(ms: number): Promise<void> {
    const until = this.time + ms;
    await setImmediate();
    while (await this.step(until));
    this.time = until;
    await setImmediate();
  }

  /**
   * Lets time pass to the next timer, runs it and lets promises settle.
   * @param until milliseconds since the epoch; nothing happens when the next timer is later
   * @returns whether there was one
   */
  async step(until = Infinity): Promise<boolean> {
    let next: Timer | undefined;
    for (const timer of this.timers) if (timer.at <= until && (!next || timer.at < next.at)) next = timer;
    if (!next) return false;
    this.timers.delete(next);
    this.time = next.at;
    next.fn();
    await setImmediate();
    return true;
  }
}
