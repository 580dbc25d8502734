/** A pause that ends early when the signal aborts. */
import type { Clock } from '../../specs/clock.ts';
import { EngineError } from '../engine/engine.ts';

/** @param ms milliseconds. Rejects with an EngineError (`aborted`) when the signal aborts. */
export function elapse(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      cancel();
      reject(new EngineError('aborted', 'The pull was cancelled'));
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
