/** Sums a pass up: phase, reason, message and conditions of a deployment. Pure. */
import { setConditions, type Finding } from '../../specs/conditions.ts';
import type { DeploymentStatus } from '../../specs/deployment.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import type { Decision } from './decision.ts';
import { isBeforeGate } from './gate.ts';
import type { Observed } from './observe.ts';

export function summarize(
  row: Row<'Deployment'>,
  decision: Decision,
  { base }: Pick<Observed, 'base'>,
  now: number,
): Partial<DeploymentStatus> {
  const { phase, reason, message, image, failedRestart } = decision;
  const at = timestamp(now);
  const before = row.status;
  const patch: Partial<DeploymentStatus> = {
    phase,
    reason,
    message,
    conditions: setConditions(before.conditions, findings(row, decision, base), at),
  };
  if (image !== undefined) Object.assign(patch, { image, ...sourceOf(row, base) });
  if (decision.imageLost) patch.image = null;
  if (failedRestart !== undefined) patch.failed_epoch = failedRestart.epoch;
  if (phase === 'Building' || phase === 'Pending') patch.building_at = before.building_at ?? at;
  if (beginsToStart(before, decision)) patch.starting_at = at;
  if ((phase === 'Failed' || phase === 'Stopped' || phase === 'Inactive') && decision.standsBy !== true)
    patch.epoch = null;
  if (decision.receipt !== undefined) patch.receipt = decision.receipt;
  if (decision.takeover !== undefined) patch.takeover = decision.takeover;
  return patch;
}

/** Also after what comes before its gate, and takes nothing of its time. */
function beginsToStart(before: DeploymentStatus, { phase, reason }: Decision): boolean {
  const waited = isBeforeGate(before.reason) && reason !== before.reason;
  return phase === 'Starting' && (before.phase !== 'Starting' || waited);
}

/** With the image of another deployment it takes over where that is from. */
function sourceOf(
  { spec }: Row<'Deployment'>,
  base: Observed['base'],
): Partial<Pick<DeploymentStatus, 'commit' | 'digest'>> {
  if (spec.reuse === null || !base) return {};
  const { commit, digest } = base.status;
  return { commit, digest };
}

function findings(row: Row<'Deployment'>, decision: Decision, base: Observed['base']): Finding[] {
  const { phase, reason, message, failedRestart } = decision;
  // Once built it stays so, also when the image is given up in the end.
  const built =
    row.status.image !== null ||
    decision.image !== undefined ||
    row.status.conditions.some(({ type, status }) => type === 'Built' && status === 'True');
  const found: Finding[] = [
    { type: 'Ready', status: phase === 'Healthy' ? 'True' : 'False', reason, message },
    built
      ? { type: 'Built', status: 'True', ...origin(row, base) }
      : { type: 'Built', status: 'False', reason, message },
  ];
  if (decision.imageLost) found.push({ type: 'Image', status: 'False', ...imageLost });
  if (failedRestart !== undefined)
    found.push({ type: 'Restarted', status: 'False', reason: failedRestart.reason, message });
  else if (decision.steps.some((step) => step.do === 'promote' && step.epoch > 0)) {
    found.push({
      type: 'Restarted',
      status: 'True',
      reason: 'Promoted',
      message: 'Its replicas were replaced.',
    });
  }
  return found;
}

/** What is said of a deployment whose image somebody removed at the engine. */
export const imageLost = {
  reason: 'ImageGone',
  message: 'Its image was removed from the engine by hand: it cannot be rolled back to.',
} as const satisfies Pick<Finding, 'reason' | 'message'>;

/** Where its image is from. */
function origin({ spec }: Row<'Deployment'>, base: Observed['base']): Pick<Finding, 'reason' | 'message'> {
  if (spec.reuse === null)
    return 'image' in spec.source
      ? { reason: 'Pulled', message: 'Its image was pulled.' }
      : { reason: 'Built', message: 'Its image was built.' };
  const of = base ? `deployment ${base.spec.number}` : 'an earlier deployment';
  return { reason: 'Reusing', message: `A configuration change of ${of}: it runs the same image.` };
}
