/** When the time of a release is over. Pure. */
import { durationMs } from '../../specs/duration.ts';
import type { Row } from '../../specs/index.ts';

/** When the gate closes, milliseconds since the epoch. */
export function gateDeadline(
  candidates: readonly Row<'Replica'>[],
  row: Row<'Deployment'>,
  now: number,
): number {
  const begun = candidates.map((replica) => Date.parse(replica.created_at));
  const from =
    begun.length > 0
      ? Math.min(...begun)
      : row.status.phase === 'Starting' && row.status.starting_at !== null
        ? Date.parse(row.status.starting_at)
        : now;
  return from + durationMs(row.spec.workload.health.deadline);
}
