/** What is noted of a replica for people: its deaths, that it serves again, and what was changed at it. */
import type { EventRecorder, EventType } from '../../specs/event.ts';
import type { Row } from '../../specs/index.ts';
import type { Reason, ReplicaReason } from '../../specs/reasons.ts';
import { shortReplica } from '../../specs/short-replica.ts';
import type { Decision } from './plan.ts';

type Said = Pick<Decision, 'reason' | 'message'>;

export function recordDeath(row: Row<'Replica'>, { reason, message }: Said, events: EventRecorder): void {
  note(row, 'Warning', reason, message, events);
}

/** A run that follows one that died answers. One that was Pending only waited for its project's network, and ran on. */
export function recordReturn(
  row: Row<'Replica'>,
  { phase }: Pick<Decision, 'phase'>,
  events: EventRecorder,
): void {
  const { phase: before, restarts } = row.status;
  if (phase !== 'Ready' || before === 'Ready' || before === 'Pending' || restarts === 0) return;
  note(row, 'Normal', 'Ready', 'It was restarted, and answers again.', events);
}

/** A run that follows one that died has not answered for a while: why its requests are refused from now on. */
export function recordSilence(row: Row<'Replica'>, { reason, message }: Said, events: EventRecorder): void {
  const { restarts, conditions } = row.status;
  if (reason !== 'Unresponsive' || restarts === 0 || conditions.some((known) => known.reason === reason))
    return;
  note(row, 'Warning', reason, message, events);
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
  { id, spec }: Row<'Replica'>,
  type: EventType,
  reason: Reason<typeof ReplicaReason>,
  message: string,
  events: EventRecorder,
): void {
  // Its row's name counts releases, not deployments: nobody could tell whose it is.
  const of = { project_id: spec.project_id, service_id: spec.service_id, name: shortReplica(id) };
  events.record({ kind: 'Replica', object: id, ...of, type, reason, message });
}
