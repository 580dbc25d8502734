/**
 * Decides what a deployment needs next. Pure: desired and observed state and the time go in, steps and a verdict come out.
 * The state diagram is in specs/deployment.ts.
 */
import type { Row } from '../../specs/index.ts';
import type { DeploymentPhase } from '../../specs/deployment.ts';
import type { DeploymentReason, Reason } from '../../specs/reasons.ts';
import type { Observed, ReplicaView } from './observe.ts';
import type { Step } from './steps.ts';
import { gateDeadline } from './gate.ts';
import { gateVerdict, rowsOf } from './verdict.ts';

/** A build that takes longer than this has failed. Milliseconds. */
export const buildLimitMs = 30 * 60_000;

export interface Decision {
  steps: Step[];
  phase: DeploymentPhase;
  reason: Reason<typeof DeploymentReason>;
  message: string;
  /** The image that was built. */
  image?: string;
  /** A restart to this epoch failed while an older one goes on serving. */
  failedEpoch?: number;
  requeueAfter?: number;
}

/** Whether this deployment should have replicas now. */
export function isWanted(row: Row<'Deployment'>, service: Row<'Service'> | undefined): boolean {
  if (!service?.spec.rollout.running || row.spec.stopped || row.deleted_at !== null) return false;
  if (row.status.phase === 'Failed' || (row.status.phase === 'Stopped' && row.status.image === null))
    return false;
  return service.spec.rollout.target === row.id || service.status.promoted === row.id;
}

export function plan(row: Row<'Deployment'>, observed: Observed, now: number): Decision {
  const { service } = observed;
  if (!service || !isWanted(row, service)) return retire(row, observed);
  if (row.status.image === null) return build(row, observed, now);
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
  const asked = row.spec.stopped || service?.spec.rollout.running !== true;
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

function build(row: Row<'Deployment'>, observed: Observed, now: number): Decision {
  const { build: job, builtImage, engineError } = observed;
  const startedAt = row.status.building_at === null ? now : Date.parse(row.status.building_at);
  const image = job?.state === 'done' ? job.image : builtImage;
  if (image !== undefined) {
    const steps: Step[] = job ? [{ do: 'forgetBuild' }] : [];
    return {
      steps,
      image,
      phase: 'Starting',
      reason: 'WaitingForHealth',
      message: 'The image is built.',
      requeueAfter: 0,
    };
  }
  if (job?.state === 'failed' && !job.transient) {
    return { steps: [{ do: 'forgetBuild' }], phase: 'Failed', reason: job.reason, message: job.message };
  }
  if (now - startedAt > buildLimitMs) {
    const steps: Step[] = job ? [{ do: 'forgetBuild' }] : [];
    return engineError === undefined
      ? {
          steps,
          phase: 'Failed',
          reason: 'BuildTimedOut',
          message: `The build took longer than ${buildLimitMs / 60_000} minutes.`,
        }
      : {
          steps,
          phase: 'Failed',
          reason: 'EngineUnavailable',
          message: `The engine was out of reach: ${engineError}`,
        };
  }
  return buildGoesOn(observed);
}

function buildGoesOn({ build: job, engineError }: Observed): Decision {
  const trouble = engineError ?? (job?.state === 'failed' ? job.message : undefined);
  if (trouble !== undefined) {
    const steps: Step[] = engineError === undefined ? [{ do: 'forgetBuild' }] : [];
    return {
      steps,
      phase: 'Building',
      reason: 'EngineUnavailable',
      message: `Waiting for the engine: ${trouble}`,
      requeueAfter: 2_000,
    };
  }
  if (job?.state === 'running')
    return { steps: [], phase: 'Building', reason: 'Building', message: 'The image is being built.' };
  const steps: Step[] = job ? [] : [{ do: 'startBuild' }];
  return { steps, phase: 'Pending', reason: 'Queued', message: 'Waiting for its turn to build.' };
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
    requeueAfter: Math.max(left, 0) + 1,
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
      failedEpoch: epoch,
    };
  }
  return { steps, phase: 'Failed', reason, message };
}
