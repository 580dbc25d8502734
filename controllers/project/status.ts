/** Sums a pass up: the project's network, the Ready condition, and what its deletion waits for. Pure. */
import { setConditions, type Finding } from '../../specs/conditions.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import type { ProjectStatus } from '../../specs/project.ts';
import type { Decision } from './plan.ts';
import type { Known } from './steps.ts';

export function summarize(
  row: Row<'Project'>,
  known: Known,
  waiting: Decision['waiting'],
  now: number,
): ProjectStatus {
  const findings = waiting ? [{ type: 'Deleted', status: 'False', ...waiting } as const] : [readiness(known)];
  return { ...known, conditions: setConditions(row.status.conditions, findings, timestamp(now)) };
}

function readiness({ network }: Known): Finding {
  const type = 'Ready';
  return network === null
    ? { type, status: 'False', reason: 'NetworkPending', message: 'Its network is being made.' }
    : { type, status: 'True', reason: 'NetworkReady', message: 'Its network is there.' };
}
