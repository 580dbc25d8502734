/**
 * What is done about a workload that prints more than can be kept: a burst is kept whole; after that it is read no faster
 * than the node can do beside its work, and kept no faster than a disk can hold, in stretches. What is left out between
 * them is counted and said. What waits meanwhile waits at the engine, which holds a bounded number of bytes and forgets the oldest: the
 * workload itself is never held up.
 */
import type { Clock } from '../../specs/clock.ts';

export interface FloodLimits {
  /** Of all floods of a node together, per second: what is read, and what is kept. In bytes as {@link costOf} counts. */
  readRate: number;
  keepRate: number;
  /** What a replica may print at once, or more than its share, before it is one of them. In the same bytes. */
  burst: number;
}

/** 30,000 short lines a second take a fifth of a core. */
export const floodLimits: FloodLimits = { readRate: 4 * 2 ** 20, keepRate: 2 ** 20, burst: 8 * 2 ** 20 };

/** Bytes of a line in a log file, near enough: most of a short one is what is written around it. */
export function costOf(line: string): number {
  return line.length + 130;
}

/** All floods of a node. They share what there is; whoever prints little has all of its own. */
export interface Floods {
  /** A stream of one replica. */
  open(): FloodGate;
}

export interface FloodGate {
  /** Takes the cost of a line that was read. @returns milliseconds to wait before the next one is read */
  read(cost: number): number;
  /** Whether a line of this cost is kept. Once one is not, none is until there is room for a whole stretch. */
  keeps(cost: number): boolean;
  close(): void;
}

export function createFloods(clock: Clock, limits: FloodLimits = floodLimits): Floods {
  const { readRate, keepRate, burst } = limits;
  const flooding = new Set<FloodGate>();
  const share = (rate: number) => (): number => rate / Math.max(1, flooding.size);
  return {
    open() {
      const reading = createBucket(clock, share(readRate), burst);
      const keeping = createBucket(clock, share(keepRate), burst);
      let isShut = false;
      const note = (): void => {
        if (reading.level() < 0 || isShut) flooding.add(gate);
        else if (reading.level() >= burst / 2 && keeping.level() >= burst / 2) flooding.delete(gate);
      };
      const gate: FloodGate = {
        read(cost) {
          reading.take(cost);
          note();
          // In steps of a quarter of a second, so that the others get their turn.
          return reading.level() >= 0 ? 0 : 250;
        },
        keeps(cost) {
          if (isShut && keeping.level() < share(keepRate)()) return false;
          keeping.take(cost);
          isShut = keeping.level() < 0;
          note();
          return !isShut;
        },
        close: () => void flooding.delete(gate),
      };
      return gate;
    },
  };
}

/** Fills at a rate per second, up to a burst; may be overdrawn. */
function createBucket(clock: Clock, rate: () => number, burst: number) {
  let filled = burst;
  let at = clock.now();
  const level = (): number => {
    const now = clock.now();
    filled = Math.min(burst, filled + (rate() * Math.max(0, now - at)) / 1_000);
    at = now;
    return filled;
  };
  return { level, take: (cost: number) => void (filled = level() - cost) };
}
