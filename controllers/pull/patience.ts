/** How often and when a registry is asked again that did not give an image. Pure. */
import type { RegistryFault } from '../engine/registry-error.ts';

/**
 * Seconds between tries. What is out of reach may be starting. Who was told to come back later (429) comes back much later,
 * for engines seldom hand on when; but limits are per minute or for hours (Docker Hub: six), so that more than two minutes gain
 * nothing. A try that stalls has waited for long already, and one that was interrupted is the engine's fifth.
 */
const pauses: Partial<Record<RegistryFault, readonly number[]>> = {
  unreachable: [1, 2, 4, 8, 16],
  stalled: [5],
  rate_limited: [15, 30, 60],
};

/** Seconds that a registry may ask for; longer is for whoever deploys. */
const longestWish = 120;

/**
 * @param tries so far
 * @param wish milliseconds after which the registry wants to be asked again, where that is known
 * @returns milliseconds until the next one; undefined: it is given up
 */
export function pauseAfter(fault: RegistryFault, tries: number, wish = 0): number | undefined {
  const seconds = pauses[fault]?.[tries - 1];
  if (seconds === undefined || wish > longestWish * 1_000) return undefined;
  return Math.max(seconds * 1_000, wish);
}
