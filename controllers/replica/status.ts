/** Sums a pass up: phase, facts and the Ready condition of a replica. Pure. */
import { setConditions, type Finding } from '../../specs/conditions.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import type { ReplicaStatus } from '../../specs/replica.ts';
import type { Decision } from './plan.ts';
import type { Observed } from './observe.ts';

export function summarize(
  row: Row<'Replica'>,
  observed: Observed,
  decision: Decision & { limitsRefused?: string | undefined },
  container: string | null,
  now: number,
): Partial<ReplicaStatus> {
  const { phase, reason, message, exit, steps, limitsRefused } = decision;
  const resources = container === null ? undefined : observed.deployment?.spec.workload.resources;
  const restarted = steps.some((step) => step.do === 'restart');
  const patch: Partial<ReplicaStatus> = {
    phase,
    container,
    conditions: setConditions(
      row.status.conditions,
      [
        { type: 'Ready', status: phase === 'Ready' ? 'True' : 'False', reason, message },
        ...limits(row, limitsRefused),
      ],
      timestamp(now),
    ),
    ...exit,
  };
  const startedAt = observed.container?.startedAt ?? null;
  if (startedAt !== null) patch.started_at = startedAt;
  if (observed.probe) patch.probe = observed.probe.words;
  if (restarted) patch.restarts = row.status.restarts + 1;
  if (resources && limitsRefused === undefined) patch.resources = resources;
  return patch;
}

/** Said once there is something to say. */
function limits({ status }: Row<'Replica'>, refused: string | undefined): Finding[] {
  const type = 'Limits';
  if (refused !== undefined) {
    const message = `${refused}. It goes on with those that it has: svc restart puts the others in force.`;
    return [{ type, status: 'False', reason: 'LimitsRefused', message }];
  }
  if (!status.conditions.some((found) => found.type === type)) return [];
  return [{ type, status: 'True', reason: 'Resized', message: 'Its limits are those of its deployment.' }];
}
