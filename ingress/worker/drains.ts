/**
 * Lets what is under way with replicas that left the routes come to its end: requests finish by themselves, what would last
 * is asked to end, and at the deadline the rest is cut.
 */
import type { Usage, Use } from './usage.ts';

/**
 * Share of the time over which what lasts is asked to end, evenly: clients come back at once, and all of them together
 * would be more than new replicas can bear. The rest is theirs to say goodbye.
 */
export const spread = 0.8;

export interface Drains {
  /** These leave together. Milliseconds until all of it is cut. */
  leave(replicas: readonly string[], ms: number): void;
  /** The replica is routed again: nothing more is asked to end for now. */
  stay(replica: string): void;
  /** Replicas that leave at present. */
  leaving(): string[];
  /** Everything is to end: the worker does. */
  end(ms: number): void;
}

export function createDrains(usage: Usage): Drains {
  const leaving = new Map<string, symbol>();
  return {
    leave(replicas, ms) {
      const drain = Symbol('drain');
      for (const replica of replicas) leaving.set(replica, drain);
      // One that is routed again, or left once more since then, is none of this drain's.
      const concerns = ({ replica }: Use): boolean => leaving.get(replica) === drain;
      // No new one can begin.
      if (!usage.underWay().some(concerns)) return;
      run({ usage, concerns, ms }, () => {
        for (const replica of replicas) if (leaving.get(replica) === drain) leaving.delete(replica);
      });
    },
    stay: (replica) => void leaving.delete(replica),
    leaving: () => [...leaving.keys()],
    end: (ms) => run({ usage, concerns: () => true, ms }, () => undefined),
  };
}

interface Drain {
  usage: Usage;
  /** Asked each time. */
  concerns: (use: Use) => boolean;
  ms: number;
}

function run({ usage, concerns, ms }: Drain, done: () => void): void {
  const begun = performance.now();
  const at = (share: number, fn: () => void): void => {
    setTimeout(fn, Math.max(0, share * ms - (performance.now() - begun))).unref();
  };
  const all = (): Use[] => usage.underWay().filter((use) => concerns(use));
  const lasting = all().filter((use) => use.lasting);
  let asked = 0;
  const ask = (): void => {
    const passed = ms === 0 ? 1 : (performance.now() - begun) / (spread * ms);
    const due = Math.min(lasting.length, Math.floor(passed * lasting.length) + 1);
    for (const use of lasting.slice(asked, due)) if (concerns(use)) use.leave();
    asked = due;
    if (asked < lasting.length) at((spread * asked) / lasting.length, ask);
  };
  ask();
  at(spread, () => {
    // What began to last only meanwhile.
    for (const use of all()) use.leave();
  });
  at(1, () => {
    for (const use of all()) use.cut();
    done();
  });
}
