/**
 * Decides what a deployment needs next. Pure: desired and observed state and the time go in, steps and a verdict come out.
 * The state diagram is in specs/deployment.ts.
 */
import { isSettled } from '../../specs/deployment.ts';
import type { Row } from '../../specs/index.ts';
import { obtain } from './artifact.ts';
import type { Decision } from './decision.ts';
import { gateDeadline } from './gate.ts';
import type { Observed, ReplicaView } from './observe.ts';
import type { Step } from './steps.ts';
import { gateVerdict, rowsOf } from './verdict.ts';

/** Milliseconds until it is looked again whether the project has a range of addresses. */
const networkPause = 200;

/** Whether this deployment should have replicas now. */
export function isWanted(row: Row<'Deployment'>, service: Row<'Service'> | undefined): boolean {
  if (!service?.spec.rollout.running || row.spec.stopped) return false;
  if (service.deleted_at !== null || row.deleted_at !== null) return false;
  if (row.status.phase === 'Failed' || (row.status.phase === 'Stopped' && row.status.image === null))
    return false;
  return service.spec.rollout.target === row.id || service.status.promoted === row.id;
}

export function plan(row: Row<'Deployment'>, observed: Observed, now: number): Decision {
  const { service } = observed;
  if (row.deleted_at !== null) return remove(row, observed);
  if (!service || !isWanted(row, service)) return retire(row, observed);
  if (row.status.image === null) return obtain(row, observed, now);
  return release(row, service, observed, now);
}

/** Not wanted (any more): no build, no replicas. What it is called depends on why. */
function retire(row: Row<'Deployment'>, { service, replicas, build: job }: Observed): Decision {
  const { phase, reason, message } = row.status;
  const steps: Step[] = replicas.map((replica) => ({ do: 'removeReplica', id: replica.row.id }));
  if (job) steps.unshift({ do: 'forgetBuild' });
  if (phase === 'Failed' || phase === 'Stopped' || phase === 'Inactive') {
    return { steps, phase, reason: reason as Decision['reason'], message };
  }
  if (!service || service.deleted_at !== null)
    return { steps, phase: 'Stopped', reason: 'Deleting', message: 'Its service is being deleted.' };
  const asked = row.spec.stopped || !service.spec.rollout.running;
  if (!asked && row.status.promoted_at !== null) {
    return {
      steps,
      phase: 'Inactive',
      reason: 'Replaced',
      message: 'A newer deployment was promoted; this one is kept for rollback.',
    };
  }
  if (!asked) {
    return {
      steps,
      phase: 'Stopped',
      reason: 'Superseded',
      message: 'A newer deployment was asked for before this one was promoted.',
    };
  }
  return phase === 'Healthy'
    ? { steps, phase: 'Stopped', reason: 'Stopped', message: 'Stopped on request.' }
    : { steps, phase: 'Stopped', reason: 'Cancelled', message: 'Cancelled before it was promoted.' };
}

/** It goes: its build and its replicas first, then its image and its logs, and the row at last. */
function remove(row: Row<'Deployment'>, { replicas, leaving, build: job }: Observed): Decision {
  const phase = isSettled(row.status.phase) && row.status.phase !== 'Healthy' ? row.status.phase : 'Stopped';
  const steps: Step[] = replicas.map((replica) => ({ do: 'removeReplica', id: replica.row.id }));
  if (job) steps.unshift({ do: 'forgetBuild' });
  const left = replicas.length + leaving;
  if (left > 0 || job) {
    const what = left > 0 ? `its replicas to be gone: ${left} left` : 'its build to end';
    return { steps, phase, reason: 'Deleting', message: `Waiting for ${what}.` };
  }
  const last: Step[] = [{ do: 'removeImage' }, { do: 'removeLogs' }, { do: 'purge' }];
  return { steps: last, phase, reason: 'Deleting', message: 'It is being deleted.' };
}

/** It has an image: bring up replicas of the wanted epoch, gate them, promote, wait for the route. */
function release(row: Row<'Deployment'>, service: Row<'Service'>, observed: Observed, now: number): Decision {
  const live = row.status.epoch;
  const epoch =
    service.spec.rollout.epoch === row.status.failed_epoch && live !== null
      ? live
      : service.spec.rollout.epoch;
  const stale = observed.replicas.filter(({ row: r }) => r.spec.epoch !== epoch && r.spec.epoch !== live);
  const extra = observed.replicas.filter(
    ({ row: r }) => r.spec.epoch === epoch && r.spec.index >= service.spec.replicas,
  );
  const candidates = observed.replicas.filter(
    ({ row: r }) => r.spec.epoch === epoch && r.spec.index < service.spec.replicas,
  );
  const steps: Step[] = [...stale, ...extra].map((replica) => ({ do: 'removeReplica', id: replica.row.id }));
  steps.push(...missing(row, service, observed, candidates, epoch));

  const promoted = service.status.promoted === row.id && live === epoch;
  if (promoted) return routed(row, observed, candidates, steps);

  const ready = candidates.filter(({ row: r }) => r.status.phase === 'Ready').length;
  if (candidates.length === service.spec.replicas && ready === candidates.length) {
    steps.push({ do: 'promote', epoch });
    return { steps, ...waitingForRoute(row), requeueAfter: 0 };
  }
  const verdict = gateVerdict(candidates, row, now);
  if (verdict) return failed(row, { ...verdict, epoch, candidates, live });
  const left = gateDeadline(rowsOf(candidates), row, now) - now;
  const message = `Waiting for ${service.spec.replicas === 1 ? 'the replica' : `all ${service.spec.replicas} replicas`} to answer ${row.spec.workload.health.path}.`;
  const waiting = { reason: 'WaitingForHealth', message } as const;
  return {
    steps,
    phase: live === null || service.status.promoted !== row.id ? 'Starting' : 'Healthy',
    ...waiting,
    // Of a project that was just made nobody tells when it has its range.
    requeueAfter: Math.min(Math.max(left, 0) + 1, observed.subnet === null ? networkPause : Infinity),
  };
}

function missing(
  row: Row<'Deployment'>,
  service: Row<'Service'>,
  observed: Observed,
  candidates: ReplicaView[],
  epoch: number,
): Step[] {
  if (observed.subnet === null || row.status.image === null) return [];
  const { subnet } = observed;
  const { image } = row.status;
  const indices = [...Array(service.spec.replicas).keys()];
  return indices
    .filter((index) => !candidates.some(({ row: r }) => r.spec.index === index))
    .map((index) => ({ do: 'createReplica', epoch, index, subnet, image }));
}

function waitingForRoute(row: Row<'Deployment'>): Pick<Decision, 'phase' | 'reason' | 'message'> {
  return row.status.phase === 'Healthy'
    ? { phase: 'Healthy', reason: 'Promoted', message: 'Serving.' }
    : {
        phase: 'Starting',
        reason: 'WaitingForRoute',
        message: 'Healthy; waiting for every ingress worker to route to it.',
      };
}

/** Promoted: Healthy once every worker routes to it, and from then on whatever its replicas do. */
function routed(
  row: Row<'Deployment'>,
  observed: Observed,
  candidates: ReplicaView[],
  steps: Step[],
): Decision {
  const ids = new Set(candidates.map(({ row: r }) => r.id));
  const swapped = observed.routed.length > 0 && observed.routed.every((id) => ids.has(id));
  if (!swapped && row.status.phase !== 'Healthy') return { steps, ...waitingForRoute(row) };
  return { steps, phase: 'Healthy', reason: 'Promoted', message: 'Serving.' };
}

interface Failure {
  reason: Decision['reason'];
  message: string;
  epoch: number;
  live: number | null;
  candidates: ReplicaView[];
}

/** The gate is lost. A restart that fails leaves the replicas before it serving; anything else is final. */
function failed(row: Row<'Deployment'>, { reason, message, epoch, live, candidates }: Failure): Decision {
  const steps: Step[] = candidates.map((replica) => ({ do: 'removeReplica', id: replica.row.id }));
  if (live !== null && row.status.phase === 'Healthy') {
    return {
      steps,
      phase: 'Healthy',
      reason: 'Promoted',
      message: `The restart failed; the replicas before it go on. ${message}`,
      failedRestart: { epoch, reason },
    };
  }
  return { steps, phase: 'Failed', reason, message };
}
