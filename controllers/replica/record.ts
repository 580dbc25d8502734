/** What is noted of a replica for people: its deaths, that it serves again, and what was changed at it. */
import type { EventRecorder, EventType } from '../../specs/event.ts';
import type { Row } from '../../specs/index.ts';
import type { Reason, ReplicaReason } from '../../specs/reasons.ts';
import type { Decision } from './plan.ts';

type Said = Pick<Decision, 'reason' | 'message'>;

export function recordDeath(row: Row<'Replica'>, { reason, message }: Said, events: EventRecorder): void {
  note(row, 'Warning', reason, message, events);
}

/** A run that follows one that died answers. */
export function recordReturn(
  row: Row<'Replica'>,
  { phase }: Pick<Decision, 'phase'>,
  events: EventRecorder,
): void {
  if (phase !== 'Ready' || row.status.phase === 'Ready' || row.status.restarts === 0) return;
  note(row, 'Normal', 'Ready', 'It was restarted, and answers again.', events);
}

/** What was put right, what was changed on request, and what the engine did not let change. */
export function recordMending(
  row: Row<'Replica'>,
  { drift, resize, limitsRefused }: Decision & { limitsRefused?: string | undefined },
  events: EventRecorder,
): void {
  if (drift) {
    const message = `Changed by hand, and put right: ${drift.join('; ')}.`;
    note(row, 'Warning', 'Drifted', message, events);
  }
  if (limitsRefused !== undefined) {
    // Every pass tries again.
    const isKnown = row.status.conditions.some(({ reason }) => reason === 'LimitsRefused');
    if (!isKnown) note(row, 'Warning', 'LimitsRefused', `${limitsRefused}.`, events);
  } else if (resize) {
    note(row, 'Normal', 'Resized', 'Its limits were changed while it runs.', events);
  }
}

function note(
  { id, name, spec }: Row<'Replica'>,
  type: EventType,
  reason: Reason<typeof ReplicaReason>,
  message: string,
  events: EventRecorder,
): void {
  const of = { project_id: spec.project_id, service_id: spec.service_id, name };
  events.record({ kind: 'Replica', object: id, ...of, type, reason, message });
}
