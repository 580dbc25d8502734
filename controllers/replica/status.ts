/** Sums a pass up: phase, facts and the Ready condition of a replica. Pure. */
import { setConditions } from '../../specs/conditions.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import type { ReplicaStatus } from '../../specs/replica.ts';
import type { Decision } from './plan.ts';
import type { Observed } from './observe.ts';

export function summarize(
  row: Row<'Replica'>,
  observed: Observed,
  decision: Decision,
  container: string | null,
  now: number,
): Partial<ReplicaStatus> {
  const { phase, reason, message, exit, steps } = decision;
  const restarted = steps.some((step) => step.do === 'restart');
  const patch: Partial<ReplicaStatus> = {
    phase,
    container,
    conditions: setConditions(
      row.status.conditions,
      [{ type: 'Ready', status: phase === 'Ready' ? 'True' : 'False', reason, message }],
      timestamp(now),
    ),
    ...exit,
  };
  const startedAt = observed.container?.startedAt ?? null;
  if (startedAt !== null) patch.started_at = startedAt;
  if (observed.probe) patch.probe = observed.probe.words;
  if (restarted) patch.restarts = row.status.restarts + 1;
  return patch;
}
