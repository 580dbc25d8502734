/**
 * Holds what a workload prints until it is known what of it to hide: every line, for about as long. Were only those held that
 * may be the beginning of a secret, their delay would tell that they are.
 */
import type { Clock } from '../../specs/clock.ts';
import type { HeldLines } from '../../specs/mask/held.ts';

export interface Hold<T> {
  push: (source: string, line: string, item: T) => void;
  /** Shows what waits, whatever comes after it: the sources have ended. */
  flush: () => void;
}

/** Milliseconds. A line waits for more than one and at most two of them: what a program prints in one go comes within that. */
const tick = 500;
/** Characters that wait at most, lest a flood fill the memory: what is older goes before its time. */
const room = 2 ** 18;

/** @param show gets the lines in their order, as they may be shown; where there is nothing to hide, at once */
export function holdLines<T>(
  held: HeldLines<T>,
  clock: Pick<Clock, 'after'>,
  show: (line: string, item: T) => void,
): Hold<T> {
  // Lines that were there at the last tick, and those since.
  let [old, young] = [0, 0];
  let cancel: (() => void) | undefined;
  const release = (count: number): void => {
    const fromOld = Math.min(count, old);
    old -= fromOld;
    young -= count - fromOld;
    for (const { line, item } of held.take(count)) show(line, item);
  };
  const turn = (): void => {
    release(old);
    [old, young] = [young, 0];
    cancel = old > 0 ? clock.after(tick, turn) : undefined;
  };
  const flush = (): void => {
    cancel?.();
    cancel = undefined;
    release(old + young);
  };
  return {
    push(source, line, item) {
      held.push(source, line, item);
      young += 1;
      if (!held.hides) {
        flush();
        return;
      }
      while (held.size > room) release(1);
      cancel ??= clock.after(tick, turn);
    },
    flush,
  };
}
