/** How often and when a registry is asked again that did not give an image. Pure. */
import type { RegistryFault } from '../engine/registry-error.ts';

/**
 * Seconds between tries. What is out of reach may be starting; who was told to come back later (429) comes back much later,
 * because engines do not hand on for how long (`Retry-After`); a try that stalls has waited already.
 */
const pauses: Partial<Record<RegistryFault, readonly number[]>> = {
  unreachable: [1, 2, 4, 8, 16],
  stalled: [5, 10],
  rate_limited: [15, 30, 60, 120, 240],
};

/**
 * @param tries so far
 * @returns milliseconds until the next one; undefined: it is given up
 */
export function pauseAfter(fault: RegistryFault, tries: number): number | undefined {
  const seconds = pauses[fault]?.[tries - 1];
  return seconds === undefined ? undefined : seconds * 1_000;
}
