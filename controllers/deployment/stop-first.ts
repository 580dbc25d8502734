/**
 * Stop-first releases: what served is stopped before anything of another version starts, while requests wait at the ingress.
 * Pure.
 *
 * ```
 * new: image there → pause the old (and park) → all stopped → its replicas → gate ─→ promote → routed → unpark → watched
 * old: serves ─────→ paused, drains, stops ─────────────────────────────────────┴→ stopped and kept until it has proven itself
 *                       gate lost, called off, or taken back (and park) → all gone → resume → routed → unpark
 * ```
 *
 * Two things must hold whatever is cut off where. Of two deployments one at most has replicas that are not paused: who makes or
 * resumes one checks that in the same transaction (hand-over.ts). And a paused replica counts as stopped only once its own
 * controller has seen that nothing of it runs.
 */
import type { Row } from '../../specs/index.ts';
import { isStopFirst } from '../../specs/stop-first.ts';
import type { Decision } from './decision.ts';
import type { Observed } from './observe.ts';
import type { Step } from './step.ts';
import { isWanted } from './wanted.ts';

/**
 * How long requests wait for a release at most, and how long the old replicas may take to stop. A gate that is lost sooner (a
 * workload that ends or cannot be started loses it at once) has the old ones serve again within it; one that is silent until a
 * `health.deadline` that is longer has not, and requests are answered 503 from then on. Milliseconds.
 */
export const parkLimitMs = 120_000;
/** Should nobody say that a replica has stopped, or that what was tried has failed. Milliseconds. */
const lookAgainAfter = 1_000;

/** Whether nothing of a replica runs, nor will until somebody resumes it. */
export function isQuiet({ spec, status, ...row }: Row<'Replica'>): boolean {
  const isSeen = row.observed_generation === row.generation;
  return spec.paused_at !== undefined && status.phase === 'Paused' && isSeen;
}

/** Replicas that must not run beside those of one deployment and epoch. */
export function inTheWay(
  { id }: Row<'Deployment'>,
  epoch: number,
  replicas: readonly Row<'Replica'>[],
): Row<'Replica'>[] {
  return replicas.filter(({ spec }) => spec.deployment_id !== id || spec.epoch !== epoch);
}

/**
 * What keeps a deployment that has its image from going on as any other would; undefined when nothing does.
 * @param epoch of the replicas that are wanted
 */
export function takeTurns(
  row: Row<'Deployment'>,
  service: Row<'Service'>,
  observed: Observed,
  epoch: number,
  now: number,
): Decision | undefined {
  const isPromoted = service.status.promoted === row.id && row.status.epoch === epoch;
  if (isPromoted) return standAside(row, service, observed, now);
  if (!isStopFirst(service.spec.release, row.spec.workload)) return undefined;
  return service.status.promoted === row.id && isTaking(observed.target, service)
    ? giveWay(row, service, observed, now)
    : takeOver(row, service, observed, epoch, now);
}

/** It is to serve, and does not yet: everything else stops first. What is on its way out already needs no pausing. */
function takeOver(
  row: Row<'Deployment'>,
  service: Row<'Service'>,
  { siblings }: Observed,
  epoch: number,
  now: number,
): Decision | undefined {
  const others = inTheWay(row, epoch, siblings);
  const loud = others.filter((replica) => !isQuiet(replica));
  if (loud.length === 0) return undefined;
  const isServing = row.status.phase === 'Healthy';
  // Of an earlier start, or of what comes before this, it says nothing.
  const isWaiting = row.status.phase === 'Starting' && row.status.reason === 'StoppingOld';
  const since = service.status.parked_since ?? (isWaiting ? row.status.starting_at : null);
  const left = since === null ? parkLimitMs : Date.parse(since) + parkLimitMs - now;
  if (left <= 0) return notStopped(row, epoch);
  const isLeaving = loud.some((replica) => replica.deleted_at !== null);
  const pausable = loud.some(({ spec }) => spec.service_id === service.id && spec.paused_at === undefined);
  return {
    steps: pausable && !isLeaving ? [{ do: 'pauseOthers', epoch }] : [],
    phase: isServing ? 'Healthy' : 'Starting',
    reason: 'StoppingOld',
    message: `Waiting for what served until now to stop.${waitingWords(service)}`,
    requeueAfter: Math.min(left, lookAgainAfter),
  };
}

/** What those who ask for the service have of it meanwhile. */
export function waitingWords({ status }: Row<'Service'>): string {
  return status.parked_since === null
    ? ''
    : ` Requests wait at the ingress, for ${parkLimitMs / 1_000} s at most.`;
}

function notStopped({ status }: Row<'Deployment'>, epoch: number): Decision {
  const message = `What served until now did not stop within ${parkLimitMs / 1_000} s.`;
  const reason = 'OldNotStopped';
  return status.phase === 'Healthy'
    ? { steps: [], phase: 'Healthy', reason: 'Promoted', message, failedRestart: { epoch, reason } }
    : { steps: [], phase: 'Failed', reason, message };
}

/**
 * It is to serve again (its service was stopped, or it is restarted) while another one is about to take its place: of two that
 * stopped each other neither would ever serve. What it serves with stays; it goes on should the other one fail.
 */
function giveWay(
  row: Row<'Deployment'>,
  service: Row<'Service'>,
  { replicas }: Observed,
  now: number,
): Decision {
  const { phase, epoch } = row.status;
  const tried = replicas.filter(({ row: { spec } }) => spec.epoch !== epoch);
  const steps = tried.map(({ row: { id } }): Step => ({ do: 'removeReplica', id }));
  const message = 'Another deployment is started in its place; it is started should that fail.';
  const state =
    phase === 'Healthy'
      ? ({ phase, reason: 'Promoted' } as const)
      : ({ phase: 'Starting', reason: 'GivingWay' } as const);
  return letGo({ steps, ...state, message, requeueAfter: lookAgainAfter }, service, false, now);
}

/** It serves, or did until it was paused: for as long as another one is tried. Then it goes on. */
function standAside(
  row: Row<'Deployment'>,
  service: Row<'Service'>,
  { siblings, target, replicas }: Observed,
  now: number,
): Decision | undefined {
  const epoch = row.status.epoch ?? 0;
  const paused = replicas.filter(({ row: { spec } }) => spec.epoch === epoch && spec.paused_at !== undefined);
  if (paused.length === 0) return undefined;
  const isServing = row.status.phase === 'Healthy';
  const waiting = isServing
    ? ({ phase: 'Healthy', reason: 'Promoted' } as const)
    : ({ phase: 'Starting', reason: 'WaitingForHealth' } as const);
  if (isTaking(target, service)) {
    const message = 'Stopped while another deployment is started; requests wait at the ingress.';
    return letGo({ steps: [], ...waiting, message, requeueAfter: lookAgainAfter }, service, false, now);
  }
  const tried = replicas.filter(({ row: { spec } }) => spec.epoch !== epoch);
  const steps: Step[] = tried.map(({ row: { id } }) => ({ do: 'removeReplica', id }));
  // One that is being stopped cannot be kept from that: it would be routed to, and end.
  const isFree = [...inTheWay(row, epoch, siblings), ...paused.map((own) => own.row)].every(isQuiet);
  if (isFree) steps.push({ do: 'resume', epoch });
  const why = isServing
    ? 'what was tried in its place did not become healthy'
    : 'the deployment after it was taken back';
  const message = `Being started again: ${why}.${waitingWords(service)}`;
  return letGo({ steps, ...waiting, message, requeueAfter: lookAgainAfter }, service, false, now);
}

/** Whether a deployment is about to take over from the one that serves. */
export function isTaking(target: Row<'Deployment'> | undefined, service: Row<'Service'>): boolean {
  if (!target || target.id === service.status.promoted || !isWanted(target, service)) return false;
  const { phase, reason, image } = target.status;
  return image !== null && phase === 'Starting' && reason !== 'RunningReleaseJob';
}

/**
 * Adds to a decision when requests that wait are let go: once every worker routes to replicas that serve, or when they have
 * waited too long; then they are told so.
 */
export function letGo(
  decision: Decision,
  { status }: Row<'Service'>,
  isRouted: boolean,
  now: number,
): Decision {
  if (status.parked_since === null) return decision;
  const left = Date.parse(status.parked_since) + parkLimitMs - now;
  if (isRouted || left <= 0) return { ...decision, steps: [...decision.steps, { do: 'unpark' }] };
  const requeueAfter = Math.min(decision.requeueAfter ?? Infinity, left);
  return { ...decision, requeueAfter, awaitRoutes: true };
}
