/** Wall clock with fractions of a millisecond: the one that the engine's events and the node's log lines are dated by. */

/** Milliseconds since the epoch. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
