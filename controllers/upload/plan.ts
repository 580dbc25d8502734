/** Decides whether an upload may go: after its build, and after an hour unused. Pure. */
import { isSettled } from '../../specs/deployment.ts';
import type { Row } from '../../specs/index.ts';
import type { Observed } from './observe.ts';
import type { Step } from './steps.ts';

/** Milliseconds an upload may wait for a deployment. */
const unusedMs = 3_600_000;

export interface Decision {
  steps: Step[];
  requeueAfter?: number;
}

export function plan(row: Row<'Upload'>, { users }: Observed, now: number): Decision {
  const remove: Decision = { steps: [{ do: 'remove' }] };
  if (row.deleted_at !== null) return remove;
  if (users.length > 0) {
    const needed = users.some(({ status }) => status.image === null && !isSettled(status.phase));
    return needed ? { steps: [] } : remove;
  }
  const left = Date.parse(row.created_at) + unusedMs - now;
  return left <= 0 ? remove : { steps: [], requeueAfter: left };
}
