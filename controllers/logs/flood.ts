/**
 * What is done about a workload that prints more than can be kept: a burst is kept whole; after that it may print no faster
 * than the node can take beside its work (brake.ts), is read a little faster than that, so that the reader catches up with what
 * came before, and kept no faster than a disk can hold, in stretches. What is left out between them is counted and
 * said. What waits meanwhile waits at the engine, which holds a bounded number of bytes and forgets the oldest.
 */
import type { Clock } from '../../specs/clock.ts';

export interface FloodLimits {
  /**
   * Of all floods of a node together, per second: what they may print, what is read, and what is kept. In bytes as
   * {@link costOf} counts.
   */
  passRate: number;
  readRate: number;
  keepRate: number;
  /** What a replica may print at once, or more than its share, before it is one of them. In the same bytes. */
  burst: number;
}

/** 30,000 short lines a second take a fifth of a core, and a quarter of one at the engine. */
export const floodLimits: FloodLimits = {
  passRate: 3 * 2 ** 20,
  readRate: 4 * 2 ** 20,
  keepRate: 2 ** 20,
  burst: 8 * 2 ** 20,
};

/** Bytes that pass at once, so that little is waited for often. */
const gulp = 2 ** 18;

/** Milliseconds: whoever is attached is waited for when the container dies. */
const longestWait = 1_000;

/** Most of a short line is what is written around it. */
const aroundLine = 130;
const newline = 0x0a;

/** Bytes of a line in a log file, near enough. */
export function costOf(line: string): number {
  return line.length + aroundLine;
}

/** The same of the lines that are in these bytes. */
function costOfBytes(bytes: Buffer): number {
  let lines = 0;
  for (const byte of bytes) if (byte === newline) lines++;
  return bytes.length + lines * aroundLine;
}

/** All floods of a node. They share what there is; whoever prints little has all of its own. */
export interface Floods {
  /** A stream of one replica. */
  open(): FloodGate;
}

export interface FloodGate {
  /** Takes what the workload printed. @returns milliseconds to wait before it may go on */
  pass(bytes: Buffer): number;
  /** Takes the cost of a line that was read. @returns milliseconds to wait before the next one is read */
  read(cost: number): number;
  /** Whether a line of this cost is kept. Once one is not, none is until there is room for a whole stretch. */
  keeps(cost: number): boolean;
  /** Whether it prints more than it may, or did a moment ago. */
  isFlooding(): boolean;
  close(): void;
}

export function createFloods(clock: Clock, limits: FloodLimits = floodLimits): Floods {
  const { passRate, readRate, keepRate, burst } = limits;
  const flooding = new Set<FloodGate>();
  const share = (rate: number) => (): number => rate / Math.max(1, flooding.size);
  return {
    open() {
      const passing = createBucket(clock, share(passRate), Math.min(gulp, burst));
      const reading = createBucket(clock, share(readRate), burst);
      const keeping = createBucket(clock, share(keepRate), burst);
      let isShut = false;
      const note = (): void => {
        if (reading.level() < 0 || isShut) flooding.add(gate);
        else if (reading.level() >= burst / 2 && keeping.level() >= burst / 2) flooding.delete(gate);
      };
      const gate: FloodGate = {
        pass(bytes) {
          passing.take(costOfBytes(bytes));
          return Math.min(
            longestWait,
            Math.ceil((Math.max(0, -passing.level()) / share(passRate)()) * 1_000),
          );
        },
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
        isFlooding: () => flooding.has(gate),
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
