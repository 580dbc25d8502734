/** What a look at a domain comes to: its phase, and in words what was seen and what should be. Pure. */
import { setConditions, type Finding } from '../../specs/conditions.ts';
import type { DomainStatus } from '../../specs/domain.ts';
import type { NewEvent } from '../../specs/event.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import { DomainReason, type Reason } from '../../specs/reasons.ts';
import type { Seen, Sighting } from './look.ts';

type DomainFinding = Finding & { reason: Reason<typeof DomainReason> };

/** What the verdict depends on beside the look itself. */
export interface Circumstances {
  /** Another service has it, verified. */
  isHeld: boolean;
  /** Public addresses of this node, as far as it knows them. */
  own: readonly string[];
  now: number;
}

/**
 * The status after a look. A Verified domain that points elsewhere stays what it is: a mistake in DNS, or an outage of it,
 * must not take a service down.
 */
export function verdict(
  { spec, status }: Row<'Domain'>,
  sighting: Sighting,
  { isHeld, own, now }: Circumstances,
): DomainStatus {
  const at = timestamp(now);
  const finding = pointing(spec.hostname, sighting, own);
  const wasVerified = status.phase === 'Verified';
  const isHere = finding.status === 'True';
  const isVerified = wasVerified || (isHere && !isHeld);
  const held = `Another service of this node has verified ${spec.hostname} before: it has to let it go first.`;
  return {
    phase: isVerified ? 'Verified' : 'Failed',
    last_error: isHere ? (isVerified ? null : held) : finding.message,
    verified_at: wasVerified ? status.verified_at : isVerified ? at : null,
    checked_at: at,
    attempt: spec.attempt,
    conditions: setConditions(status.conditions, [finding], at),
  };
}

/** What is to be told of a look: a verdict on an attempt, and that a Verified domain has begun or ceased to point elsewhere. */
export function newsOf(
  { id, name, spec, status: before }: Row<'Domain'>,
  after: DomainStatus,
): NewEvent | undefined {
  const isPointing = ({ conditions }: DomainStatus) =>
    conditions.find(({ type }) => type === 'PointsHere')?.status;
  if (before.phase === 'Verified' && isPointing(before) === isPointing(after)) return undefined;
  const isGood = after.last_error === null;
  const isHeld = !isGood && isPointing(after) === 'True';
  const found = after.conditions.find(({ type }) => type === 'PointsHere');
  const { HeldByAnother } = DomainReason;
  return {
    ...{ project_id: spec.project_id, kind: 'Domain', object: id, service_id: spec.service_id, name },
    ...{ type: isGood ? 'Normal' : 'Warning', reason: isHeld ? HeldByAnother : (found?.reason ?? '') },
    message: after.last_error ?? `${spec.hostname} leads to this node and is served.`,
  };
}

/** Why a domain that is being deleted is still there. */
export function deletion({ status }: Row<'Domain'>, now: number): Pick<DomainStatus, 'conditions'> {
  const finding: DomainFinding = {
    ...{ type: 'Deleted', status: 'False', reason: 'Deleting' },
    message: 'Waiting for its certificate to be removed.',
  };
  return { conditions: setConditions(status.conditions, [finding], timestamp(now)) };
}

/** True as soon as one of its addresses is this node: the others may be further nodes of the same service. */
function pointing(hostname: string, sighting: Sighting, own: readonly string[]): DomainFinding {
  const type = 'PointsHere';
  if ('failed' in sighting) {
    const message = `DNS gave no answer for ${hostname} (${sighting.failed}). Look at its name servers, then verify it again.`;
    return { type, status: 'False', reason: 'NoAddress', message };
  }
  const { seen } = sighting;
  const here = own.length === 0 ? 'this node' : `this node (${own.join(', ')})`;
  if (seen.length === 0) {
    const message = `DNS has no address for ${hostname}. Give it an A or AAAA record that leads to ${here}, then verify it again.`;
    return { type, status: 'False', reason: 'NoAddress', message };
  }
  if (seen.some(({ isHere }) => isHere))
    return { type, status: 'True', reason: 'ChallengeAnswered', message: `${hostname} leads to this node.` };
  const message = `DNS leads ${hostname} to ${listed(seen)}. Point it to ${here}, then verify it again.`;
  return { type, status: 'False', reason: 'PointsElsewhere', message };
}

function listed(seen: readonly Seen[]): string {
  return seen.map(({ address, words }) => `${address}, which ${words}`).join('; and to ');
}
