/** The machine's own time and randomness, behind the ports of specs/clock.ts. Composition hands them in; logic never imports them. */
import { randomBytes } from 'node:crypto';
import type { Clock, Random } from '../../specs/clock.ts';

/** A timer for longer than this fires at once (the delay is a signed 32-bit number), so a longer delay is made of several. */
const longestTimer = 2 ** 31 - 1;

/** Timers run on the monotonic clock of the event loop and keep the process alive until they fire or are cancelled. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, fn) {
    let timer: NodeJS.Timeout;
    const arm = (left: number) => {
      timer =
        left > longestTimer ? setTimeout(() => arm(left - longestTimer), longestTimer) : setTimeout(fn, left);
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
};

export const systemRandom: Random = (count) => randomBytes(count);
