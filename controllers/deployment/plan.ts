/**
 * Decides what a deployment needs next. Pure: desired and observed state and the time go in, steps and a verdict come out.
 * The state diagram is in specs/deployment.ts.
 */
import { isSettled } from '../../specs/deployment.ts';
import type { Row } from '../../specs/index.ts';
import { obtain } from './artifact.ts';
import { isWarm, judge } from './bake.ts';
import type { Decision } from './decision.ts';
import { gateDeadline } from './gate.ts';
import type { Observed, ReplicaView } from './observe.ts';
import { account } from './receipt.ts';
import { releaseJobs, stopReleaseJobs } from './release-jobs.ts';
import type { Step } from './steps.ts';
import { isTaking, letGo, takeTurns, waitingWords } from './stop-first.ts';
import { gateVerdict, rowsOf } from './verdict.ts';
import { isWanted } from './wanted.ts';

/** Milliseconds until it is looked again whether the project has a range of addresses. */
const networkPause = 200;

export function plan(row: Row<'Deployment'>, observed: Observed, now: number): Decision {
  return account(row, observed, decide(row, observed, now), now);
}

function decide(row: Row<'Deployment'>, observed: Observed, now: number): Decision {
  const { service } = observed;
  if (row.deleted_at !== null) return remove(row, observed);
  if (!service || !isWanted(row, service))
    return service && isWarm(row, service)
      ? standBy(row, observed)
      : endOf(row, service, retire(row, observed));
  if (row.status.image === null) return obtain(row, observed, now);
  const hasReplicas = observed.replicas.length > 0;
  return releaseJobs(row, observed.releaseJobs, hasReplicas) ?? release(row, service, observed, now);
}

/** Nothing is done to the replicas that served last: should they die, they are started again. */
function standBy({ status: { epoch } }: Row<'Deployment'>, { replicas }: Observed): Decision {
  const others = replicas.filter(({ row: r }) => r.spec.epoch !== epoch);
  const steps = others.map(({ row: { id } }): Step => ({ do: 'removeReplica', id }));
  const isStopped = replicas.some(({ row: r }) => r.spec.paused_at !== undefined);
  const how = isStopped ? 'is stopped, and kept,' : 'stands by';
  const message = `Another deployment was promoted; this one ${how} until that has proven itself.`;
  return { steps, phase: 'Inactive', reason: 'StandingBy', message, standsBy: true };
}

/** What serves no longer needs no watching. */
function endOf(row: Row<'Deployment'>, service: Row<'Service'> | undefined, decision: Decision): Decision {
  return service?.status.bake?.deployment === row.id ? { ...decision, endBake: 'keep' } : decision;
}

const replaced = {
  phase: 'Inactive',
  reason: 'Replaced',
  message: 'Another deployment was promoted; this one is kept for rollback.',
} as const;

/** Not wanted (any more): no build, no replicas. What it is called depends on why. */
function retire(row: Row<'Deployment'>, observed: Observed): Decision {
  const { service } = observed;
  const { phase, reason, message } = row.status;
  const steps = takeAway(observed);
  if (hasEnded(row)) {
    const lost = observed.imageLost === true ? { imageLost: true as const } : {};
    return { steps, phase, reason: reason as Decision['reason'], message, ...lost };
  }
  // It stood by; that its service was stopped or goes since is not what ended it.
  if (phase === 'Inactive') return { steps, ...replaced };
  if (!service || service.deleted_at !== null)
    return { steps, phase: 'Stopped', reason: 'Deleting', message: 'Its service is being deleted.' };
  // Nobody is left for whom requests could wait.
  const isLast = service.status.promoted === row.id && !isTaking(observed.target, service);
  if (isLast && service.status.parked_since !== null) steps.push({ do: 'unpark' });
  const asked = row.spec.stopped || !service.spec.rollout.running;
  if (!asked && row.status.promoted_at !== null) return { steps, ...replaced };
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

/** All that runs for it. */
function takeAway({ replicas, build, releaseJobs: jobs }: Observed): Step[] {
  const steps = replicas.map((replica): Step => ({ do: 'removeReplica', id: replica.row.id }));
  return [...stopReleaseJobs(jobs), ...(build ? [{ do: 'forgetBuild' } as const] : []), ...steps];
}

/** What it is called is said already. */
function hasEnded({ status: { phase, reason } }: Row<'Deployment'>): boolean {
  return phase === 'Failed' || phase === 'Stopped' || (phase === 'Inactive' && reason !== 'StandingBy');
}

/** It goes: its build and its replicas first, then its image and its logs, and the row at last. */
function remove(row: Row<'Deployment'>, observed: Observed): Decision {
  const { replicas, leaving, build: job } = observed;
  const phase = isSettled(row.status.phase) && row.status.phase !== 'Healthy' ? row.status.phase : 'Stopped';
  const steps = takeAway(observed);
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
  const turn = takeTurns(row, service, observed, epoch, now);
  if (turn) return turn;
  const stale = observed.replicas.filter(({ row: r }) => r.spec.epoch !== epoch && r.spec.epoch !== live);
  const own = observed.replicas.filter(({ row: r }) => r.spec.epoch === epoch);
  // What was stopped is started again only for one that served to the end; one that is to serve anew passes its gate anew.
  const isFit = ({ spec }: Row<'Replica'>): boolean =>
    spec.index < service.spec.replicas && spec.paused_at === undefined;
  const candidates = own.filter(({ row: r }) => isFit(r));
  const unfit = own.filter(({ row: r }) => !isFit(r));
  const steps: Step[] = [...stale, ...unfit].map((replica) => ({ do: 'removeReplica', id: replica.row.id }));
  steps.push(...missing(row, service, observed, candidates, epoch));

  const promoted = service.status.promoted === row.id && live === epoch;
  if (promoted) return watched(row, observed, candidates, routed(row, observed, candidates, steps, now), now);

  const ready = candidates.filter(({ row: r }) => r.status.phase === 'Ready').length;
  if (candidates.length === service.spec.replicas && ready === candidates.length) {
    steps.push({ do: 'promote', epoch });
    return { steps, ...waitingForRoute(row), requeueAfter: 0 };
  }
  const verdict = gateVerdict(candidates, row, now);
  const serves = service.status.promoted === row.id && live !== null;
  if (verdict) return failed(row, { ...verdict, epoch, candidates, serves });
  const left = gateDeadline(rowsOf(candidates), row, now) - now;
  const message = `Waiting for ${service.spec.replicas === 1 ? 'the replica' : `all ${service.spec.replicas} replicas`} to answer ${row.spec.workload.health.path}.${waitingWords(service)}`;
  const waiting = { reason: 'WaitingForHealth', message } as const;
  const decision: Decision = {
    steps,
    phase: live === null || service.status.promoted !== row.id ? 'Starting' : 'Healthy',
    ...waiting,
    // Of a project that was just made nobody tells when it has its range.
    requeueAfter: Math.min(Math.max(left, 0) + 1, observed.subnet === null ? networkPause : Infinity),
  };
  return letGo(decision, service, false, now);
}

/** No more at a time than `release.surge`: what starts takes the node's cores from what serves. */
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
  const starting = candidates.filter(({ row: r }) => r.status.phase !== 'Ready').length;
  return indices
    .filter((index) => !candidates.some(({ row: r }) => r.spec.index === index))
    .slice(0, Math.max(0, service.spec.release.surge - starting))
    .map((index) => ({ do: 'createReplica', epoch, index, subnet, image }));
}

/** Of one that served, and is to again. Its replicas are kept alive: there is no other one to go to. */
const comingBack =
  'Its replicas are being started again, for as long as it takes: svc logs says what they print.';

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
  now: number,
): Decision {
  const ids = new Set(candidates.map(({ row: r }) => r.id));
  const swapped = observed.routed.length > 0 && observed.routed.every((id) => ids.has(id));
  const isUp = candidates.some(({ row: r }) => r.status.phase === 'Ready');
  const said =
    swapped || row.status.phase === 'Healthy'
      ? ({ phase: 'Healthy', reason: 'Promoted', message: 'Serving.' } as const)
      : isUp
        ? waitingForRoute(row)
        : ({ phase: 'Starting', reason: 'WaitingForHealth', message: comingBack } as const);
  return observed.service ? letGo({ steps, ...said }, observed.service, swapped, now) : { steps, ...said };
}

/** While the one before stands by, it has to prove itself. */
function watched(
  row: Row<'Deployment'>,
  { service, warm, traffic }: Observed,
  candidates: ReplicaView[],
  decision: Decision,
  now: number,
): Decision {
  const bake = service?.status.bake;
  if (bake?.deployment !== row.id || !traffic) return decision;
  const judgement = judge(bake, { replicas: rowsOf(candidates), warm, traffic }, now);
  switch (judgement.is) {
    case 'good':
      return { ...decision, endBake: 'keep' };
    case 'open':
      return { ...decision, requeueAfter: judgement.requeueAfter };
    case 'bad': {
      const isUp = warm.some(({ status }) => status.phase === 'Ready');
      const message = `Taken back; the deployment before it ${isUp ? 'serves' : 'is started'} again. ${judgement.message}`;
      // Its replicas go once the one before is routed to again.
      return { steps: [], phase: 'Failed', reason: 'RolledBack', message, endBake: 'take back' };
    }
  }
}

interface Failure {
  reason: Decision['reason'];
  message: string;
  epoch: number;
  /** Whether replicas of it from before are routed to, or about to be. */
  serves: boolean;
  candidates: ReplicaView[];
}

/** The gate is lost. A restart that fails leaves the replicas before it serving; anything else is final. */
function failed(row: Row<'Deployment'>, { reason, message, epoch, serves, candidates }: Failure): Decision {
  const steps: Step[] = candidates.map((replica) => ({ do: 'removeReplica', id: replica.row.id }));
  if (serves) {
    return {
      steps,
      ...waitingForRoute(row),
      message: `The restart failed; the replicas before it go on. ${message}`,
      failedRestart: { epoch, reason },
    };
  }
  return { steps, phase: 'Failed', reason, message };
}
