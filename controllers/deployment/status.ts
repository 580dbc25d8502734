/** Sums a pass up: phase, reason, message and conditions of a deployment. Pure. */
import { setConditions, type Finding } from '../../specs/conditions.ts';
import type { DeploymentStatus } from '../../specs/deployment.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import type { Decision } from './decision.ts';
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
  if (image !== undefined) patch.image = image;
  if (failedRestart !== undefined) patch.failed_epoch = failedRestart.epoch;
  if (phase === 'Building' || phase === 'Pending') patch.building_at = before.building_at ?? at;
  if (phase === 'Starting' && before.phase !== 'Starting') patch.starting_at = at;
  if (phase === 'Failed' || phase === 'Stopped' || phase === 'Inactive') patch.epoch = null;
  return patch;
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

/** Where its image is from. */
function origin({ spec }: Row<'Deployment'>, base: Observed['base']): Pick<Finding, 'reason' | 'message'> {
  if (spec.reuse === null) return { reason: 'Built', message: 'Its image was built.' };
  const of = base ? `deployment ${base.spec.number}` : 'an earlier deployment';
  return { reason: 'Reusing', message: `A configuration change of ${of}: it runs the same image.` };
}
