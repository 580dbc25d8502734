/** A deadline that a stopped machine does not miss for somebody else. */
import type { Clock } from '../../specs/clock.ts';

/**
 * Runs `fn` after `ms` in which this process ran. It counts in two halves, so that when this process itself was stopped
 * or the machine slept, the others get half of their time again before they are held to it.
 * @returns cancel
 */
export function deadline(clock: Clock, ms: number, fn: () => void): () => void {
  let cancel = clock.after(ms / 2, () => {
    cancel = clock.after(ms / 2, fn);
  });
  return () => cancel();
}
