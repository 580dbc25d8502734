/** The machine's own time and randomness, behind the ports of specs/clock.ts. Composition hands them in; logic never imports them. */
import { randomFillSync } from 'node:crypto';
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

/** Bytes that are asked for at a time: asking costs the same for ten bytes as for a thousand, and every request takes ten. */
const poolSize = 8_192;
const pool = Buffer.alloc(poolSize);
let used = poolSize;

/** Every byte is given once, and none stays in the pool. */
export const systemRandom: Random = (count) => {
  if (count > poolSize / 8) return randomFillSync(Buffer.alloc(count));
  if (used + count > poolSize) {
    randomFillSync(pool);
    used = 0;
  }
  const given = Buffer.from(pool.subarray(used, used + count));
  pool.fill(0, used, used + count);
  used += count;
  return given;
};
