/** Keeps a slot empty for a while after processes that died at once, longer each time. */
import type { Clock } from '../../specs/clock.ts';
import type { Limits } from './limits.ts';

/** Milliseconds; the first death costs nothing, the second this, and then twice as much each time. */
const firstDelay = 100;

export interface HoldOff {
  held: ReadonlySet<string>;
  /** A process of the slot died unasked. `released` is called once the slot may be filled, at once if that is now. */
  failed(key: string, released: () => void): void;
  /** A process of the slot has lived long enough. */
  well(key: string): void;
  stop(): void;
}

export function createHoldOff(clock: Clock, limits: Limits): HoldOff {
  const failures = new Map<string, number>();
  const waiting = new Map<string, () => void>();
  const held = new Set<string>();
  return {
    held,
    failed: (key, released) => {
      const count = failures.get(key) ?? 0;
      failures.set(key, count + 1);
      waiting.get(key)?.();
      if (count === 0) {
        released();
        return;
      }
      held.add(key);
      const release = (): void => {
        held.delete(key);
        waiting.delete(key);
        released();
      };
      waiting.set(key, clock.after(Math.min(firstDelay * 2 ** (count - 1), limits.backoff), release));
    },
    well: (key) => void failures.delete(key),
    stop: () => {
      for (const cancel of waiting.values()) cancel();
    },
  };
}
