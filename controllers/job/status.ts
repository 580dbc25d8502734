/** Sums a pass up: the next time and the conditions of a job. Pure. */
import { setConditions } from '../../specs/conditions.ts';
import type { Row } from '../../specs/index.ts';
import type { JobStatus } from '../../specs/job.ts';
import { timestamp } from '../../specs/meta.ts';
import type { Decision } from './plan.ts';

export function summarize(
  row: Row<'Job'>,
  { findings, nextAt }: Decision,
  now: number,
): Pick<JobStatus, 'next_at' | 'conditions'> {
  return { next_at: nextAt, conditions: setConditions(row.status.conditions, findings, timestamp(now)) };
}
