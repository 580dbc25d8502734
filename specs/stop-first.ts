/**
 * Stop-first releases: two versions never run at once, because one is asked for (`release.strategy: recreate`) or because they
 * would write to the same data. Pure.
 */
import type { Release } from './service.ts';
import type { Workload } from './workload.ts';

/** How long requests under way may go on, at most, while those that come after them wait already. Milliseconds. */
export const stopFirstDrainMs = 10_000;

/** Whether a deployment may only start when nothing else of its service runs. */
export function isStopFirst(
  { strategy }: Pick<Release, 'strategy'>,
  { volumes = [] }: Pick<Workload, 'volumes'>,
): boolean {
  return strategy === 'recreate' || volumes.length > 0;
}
