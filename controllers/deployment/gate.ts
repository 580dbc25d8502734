/** When the time of a release is over. Pure. */
import { durationMs } from '../../specs/duration.ts';
import type { Row } from '../../specs/index.ts';

/** Whether a deployment that is Starting has not begun to start its replicas, as its reason says. */
export function isBeforeGate(reason: string): boolean {
  return reason === 'RunningReleaseJob' || reason === 'StoppingOld' || reason === 'GivingWay';
}

/** When the gate closes, milliseconds since the epoch. */
export function gateDeadline(
  candidates: readonly Row<'Replica'>[],
  row: Row<'Deployment'>,
  now: number,
): number {
  // Not all of them begin at the same time: each has the whole of it.
  const begun = candidates
    .filter(({ status }) => status.phase !== 'Ready')
    .map((replica) => Date.parse(replica.created_at));
  const from =
    begun.length > 0
      ? Math.min(...begun)
      : candidates.length > 0
        ? now
        : row.status.phase === 'Starting' &&
            row.status.starting_at !== null &&
            // What came before the gate takes nothing of its time.
            !isBeforeGate(row.status.reason)
          ? Date.parse(row.status.starting_at)
          : now;
  return from + durationMs(row.spec.workload.health.deadline);
}
