/**
 * Puts an end to waiting: runs a piece of work under a deadline, and gives it up when it does not end. It can neither
 * stop nor undo the work; it only tells when nobody waits for it any more, and when it is over in fact.
 */
import type { Clock } from '../../specs/clock.ts';

/** The work took longer than it may. */
export class DeadlineError extends Error {
  constructor(ms: number) {
    super(`it took longer than its limit of ${ms} ms and was given up`);
    this.name = 'DeadlineError';
  }
}

export type Outcome<T> =
  | { how: 'done'; value: T }
  | { how: 'failed'; error: unknown }
  /** Given up while it still ran. `ended` resolves when it is over in fact, or the grace has passed. */
  | { how: 'abandoned'; error: unknown; ended: Promise<void> };

export interface Fence {
  clock: Clock;
  /** Milliseconds from the start until the work is aborted and abandoned. */
  deadline: number;
  /** Aborts the work from outside. */
  signal: AbortSignal;
  /** Milliseconds that the work has to end by itself after an abort from outside, before it is abandoned, and counts as ended. */
  patience: number;
  /** Milliseconds after the deadline when abandoned work counts as ended although it is not. */
  grace: number;
}

/** Runs `run` once, at once. Never rejects; what the work does after it was abandoned is ignored. */
export function fenced<T>(run: (signal: AbortSignal) => Promise<T>, fence: Fence): Promise<Outcome<T>> {
  const { clock, signal: outer } = fence;
  const abort = new AbortController();
  return new Promise((resolve) => {
    const timers: (() => void)[] = [];
    const conclude = (outcome: Outcome<T>) => {
      for (const cancel of timers) cancel();
      outer.removeEventListener('abort', stop);
      resolve(outcome);
    };
    const abandon = (error: unknown, ended: Promise<void>) => conclude({ how: 'abandoned', error, ended });
    const stop = () => {
      abort.abort(outer.reason);
      timers.push(clock.after(fence.patience, () => abandon(outer.reason, Promise.resolve())));
    };
    if (outer.aborted) stop();
    else outer.addEventListener('abort', stop, { once: true });
    const late = () => {
      const error = new DeadlineError(fence.deadline);
      abort.abort(error);
      abandon(error, either(settled, fence.grace, clock));
    };
    timers.push(clock.after(fence.deadline, late));
    const settled = start(run, abort.signal).then(
      (value) => conclude({ how: 'done', value }),
      (error: unknown) => conclude({ how: 'failed', error }),
    );
  });
}

/** A throw before the first await is a rejection like any other. */
async function start<T>(run: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  return run(signal);
}

function either(settled: Promise<void>, ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    void settled.then(() => {
      cancel();
      resolve();
    });
  });
}
