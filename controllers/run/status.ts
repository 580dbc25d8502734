/** Sums a pass up: phase, facts and the Complete condition of a run. Pure. */
import { setConditions } from '../../specs/conditions.ts';
import { isOver, type RunStatus } from '../../specs/job.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import type { Observed } from './observe.ts';
import type { Decision } from './plan.ts';

export function summarize(
  row: Row<'Run'>,
  { container }: Pick<Observed, 'container'>,
  decision: Decision,
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
      [{ type: 'Complete', status: statusOf(phase), reason, message }],
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
