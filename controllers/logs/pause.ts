/** Waits on the clock, and no longer than somebody wants it. */
import type { Clock } from '../../specs/clock.ts';

/** Resolves after so many milliseconds, or as soon as the signal aborts. */
export async function pause(ms: number, signal: AbortSignal, clock: Clock): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal.addEventListener('abort', done);
  });
}
