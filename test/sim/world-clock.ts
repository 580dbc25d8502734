/** The time of a simulated world: timers of the monotonic clock, driven by hand, and a wall clock that can jump. */
import type { Clock } from '../../specs/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';

export class WorldClock implements Clock {
  readonly #monotonic = new ManualClock();
  readonly #start = this.#monotonic.now();
  #jumped = 0;

  now(): number {
    return this.#monotonic.now() + this.#jumped;
  }

  after(ms: number, fn: () => void): () => void {
    return this.#monotonic.after(Math.ceil(ms), fn);
  }

  /** Resolves after `ms`. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** Milliseconds since the world began, jumps or not. */
  get elapsed(): number {
    return this.#monotonic.now() - this.#start;
  }

  /** Somebody sets the wall clock. */
  jump(ms: number): void {
    this.#jumped += ms;
  }

  /** Lets the next `count` timers run, whenever they are due. */
  async steps(count: number): Promise<void> {
    for (let step = 0; step < count; step++) await this.#monotonic.step();
  }

  /** Lets `ms` pass, and everything happen that is due. */
  advance(ms: number): Promise<void> {
    return this.#monotonic.advance(ms);
  }
}
