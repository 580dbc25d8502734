/** What is noted of a run for people: that it failed, and what was changed at it by hand. */
import type { EventRecorder } from '../../specs/event.ts';
import type { Row } from '../../specs/index.ts';
import type { Reason, RunReason } from '../../specs/reasons.ts';
import { limitsCondition } from './drift.ts';
import type { Decision } from './plan.ts';

export function recordFailure(
  row: Row<'Run'>,
  { reason, message }: Pick<Decision, 'reason' | 'message'>,
  events: EventRecorder,
): void {
  note(row, reason, message, events);
}

/** What was put right, and what the engine did not let change. */
export function recordMending(
  row: Row<'Run'>,
  { drift, limitsRefused }: Decision & { limitsRefused?: string | undefined },
  events: EventRecorder,
): void {
  if (drift) note(row, 'Drifted', `Changed by hand: ${drift.join('; ')}.`, events);
  if (limitsRefused === undefined) return;
  // Every pass tries again.
  const isKnown = row.status.conditions.some(
    ({ type, reason }) => type === limitsCondition && reason === 'LimitsRefused',
  );
  if (!isKnown) note(row, 'LimitsRefused', `${limitsRefused}.`, events);
}

function note(
  { id, name, spec }: Row<'Run'>,
  reason: Reason<typeof RunReason>,
  message: string,
  events: EventRecorder,
): void {
  const of = { project_id: spec.project_id, service_id: spec.service_id, name };
  events.record({ kind: 'Run', object: id, ...of, type: 'Warning', reason, message });
}
