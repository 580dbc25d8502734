/** At most so many pieces of expensive work at once, a short queue behind them, and a refusal beyond it. */
import { ProblemError } from '../../specs/problem.ts';

export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Runs work in the order it came.
 * @param atOnce pieces that run at the same time
 * @param queued pieces that may wait; one more is refused with `unavailable`
 */
export function limiter(atOnce: number, queued: number): Limiter {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (work) => {
    if (running < atOnce) {
      running += 1;
    } else {
      if (waiting.length >= queued) {
        throw new ProblemError('unavailable', 'Too many people log in right now. Try again in a moment.', {
          retryAfter: 2,
        });
      }
      // Whoever finishes hands its place over, so `running` stays as it is.
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
