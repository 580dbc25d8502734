/** How long a key that failed waits. Pure: counts and delays only; the timers are work-queue.ts. */
import type { Random } from '../../specs/clock.ts';
import { between } from './jitter.ts';

const first = 5;
const longest = 300_000;
const soonest = 1_000;

/** The failures of one key in a row, all of them at one generation. */
export interface Backoff {
  failures: number;
  /** The generation that failed; undefined while it could not be read. */
  generation: number | undefined;
  /** Milliseconds from the failure to the next try. */
  delay: number;
}

/**
 * Milliseconds before the next try: 5 ms, doubled by every further failure up to 5 minutes, of which up to a quarter is
 * taken off by chance, so that keys that failed together do not come back together.
 * @param failures in a row, 1 or more
 */
export function backoffDelay(failures: number, random: Random): number {
  const full = Math.min(first * 2 ** Math.min(failures - 1, 16), longest);
  return Math.ceil(between(full * 0.75, full, random));
}

/**
 * The backoff after one more failure. A generation other than the one that failed before starts from the beginning.
 * @param generation of the row as it is now; undefined if it is not known, and taken for the same one then
 */
export function afterFailure(
  before: Backoff | undefined,
  generation: number | undefined,
  random: Random,
): Backoff {
  const other =
    before?.generation !== undefined && generation !== undefined && before.generation !== generation;
  const failures = other ? 1 : (before?.failures ?? 0) + 1;
  return { failures, generation: generation ?? before?.generation, delay: backoffDelay(failures, random) };
}

/** Whether a wake is about a generation that has not failed yet, and so is to be tried at once. */
export function isNew(backoff: Backoff, generation: number | undefined): boolean {
  return generation !== undefined && backoff.generation !== generation;
}

/**
 * Milliseconds from a failure before which an event does not bring the next try forward. Events may be of the failing
 * pass's own making (it creates, the engine reports, the report wakes): without this floor they would undo the backoff.
 */
export function eventFloor(backoff: Backoff): number {
  return Math.min(backoff.delay, soonest);
}
