/** Sums a pass up: phase, facts and the Complete condition of a run. Pure. */
import { setConditions, type Finding } from '../../specs/conditions.ts';
import { isOver, type RunStatus } from '../../specs/job.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import { limitsCondition } from './drift.ts';
import type { Observed } from './observe.ts';
import type { Decision } from './plan.ts';

export function summarize(
  row: Row<'Run'>,
  { container }: Pick<Observed, 'container'>,
  decision: Decision & { limitsRefused?: string | undefined },
  known: Pick<RunStatus, 'container' | 'image'>,
  now: number,
): Partial<RunStatus> {
  const { phase, reason, message, ended, retryAt } = decision;
  const at = timestamp(now);
  const patch: Partial<RunStatus> = {
    ...{ phase, reason, message, ...known },
    started_at: row.status.started_at ?? container?.startedAt ?? null,
    conditions: setConditions(
      row.status.conditions,
      [{ type: 'Complete', status: statusOf(phase), reason, message }, ...limits(row, decision)],
      at,
    ),
  };
  if (ended !== undefined) patch.exit_code = ended.code;
  if (retryAt !== undefined) patch.retry_at = timestamp(retryAt);
  if (!isOver(phase)) return patch;
  patch.retry_at = null;
  patch.finished_at = row.status.finished_at ?? at;
  // Its address is given back with its container.
  if (known.container === null) patch.address = null;
  return patch;
}

function statusOf(phase: RunStatus['phase']): 'True' | 'False' | 'Unknown' {
  if (!isOver(phase)) return 'Unknown';
  return phase === 'Succeeded' ? 'True' : 'False';
}

/** Said once there is something to say. */
function limits(
  { status }: Row<'Run'>,
  { limitsRefused, lasting }: Decision & { limitsRefused?: string | undefined },
): Finding[] {
  const type = limitsCondition;
  if (limitsRefused !== undefined) {
    const message = `${limitsRefused}. It goes on with those that it has.`;
    return [{ type, status: 'False', reason: 'LimitsRefused', message }];
  }
  if (lasting !== undefined) return [{ type, status: 'False', reason: 'Drifted', message: lasting }];
  if (!status.conditions.some((found) => found.type === type)) return [];
  return [
    { type, status: 'True', reason: 'LimitsInForce', message: 'It has the limits that it is to have.' },
  ];
}
