/**
 * Puts what several replicas print at about the same time into the order in which they printed it: their output comes over
 * streams of their own, one of which may be a little late. What comes later than the window allows goes where it
 * came: readers of what is kept sort by time again (select.ts).
 */
import type { Clock } from '../../specs/clock.ts';
import { compareInstants } from './instant.ts';

export interface Timed {
  /** RFC 3339. */
  at: string;
  /** Items of one source keep their order, whatever their times are. */
  source: string;
}

export interface Reorder<T> {
  push(item: T): void;
  /** Releases everything now. */
  flush(): void;
}

/**
 * @param windowMs how long an item is held at the moment; 0: it is released at once, with all before it
 * @param release takes items in order, a batch at a time
 */
export function createReorder<T extends Timed>(
  clock: Clock,
  windowMs: () => number,
  release: (items: T[]) => void,
): Reorder<T> {
  let held: { item: T; at: string; arrived: number }[] = [];
  /** The latest time of each source among what is held. */
  const latest = new Map<string, string>();
  let cancel: (() => void) | undefined;

  const flush = (): void => {
    cancel?.();
    cancel = undefined;
    const all = held;
    held = [];
    latest.clear();
    if (all.length > 0) release(all.map(({ item }) => item));
  };

  /** Those that have waited long enough, with all that were printed before them. */
  const releaseDue = (): void => {
    cancel = undefined;
    const due = clock.now() - windowMs();
    let count = 0;
    for (const [index, { arrived }] of held.entries()) if (arrived <= due) count = index + 1;
    const released = held.slice(0, count);
    held = held.slice(count);
    if (held.length === 0) latest.clear();
    else schedule();
    if (released.length > 0) release(released.map(({ item }) => item));
  };

  const schedule = (): void => {
    const first = held.reduce((soonest, { arrived }) => Math.min(soonest, arrived), Infinity);
    cancel ??= clock.after(Math.max(0, first + windowMs() - clock.now()), releaseDue);
  };

  return {
    push(item) {
      const before = latest.get(item.source);
      const at = before !== undefined && compareInstants(before, item.at) > 0 ? before : item.at;
      latest.set(item.source, at);
      insert(held, { item, at, arrived: clock.now() });
      if (windowMs() === 0) flush();
      else schedule();
    },
    flush,
  };
}

/** Behind all that are not later, which is mostly the end. */
function insert<E extends { at: string }>(held: E[], entry: E): void {
  let low = 0;
  let high = held.length;
  if (compareInstants(held.at(-1)?.at ?? entry.at, entry.at) <= 0) low = high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareInstants(held[middle]?.at ?? '', entry.at) <= 0) low = middle + 1;
    else high = middle;
  }
  held.splice(low, 0, entry);
}
