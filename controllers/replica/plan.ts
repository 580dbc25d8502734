/**
 * Decides what a replica needs next. Pure. The state diagram is in specs/replica.ts.
 *
 * The engine's own restart policy is off: one owner of restarts. A candidate's death is a verdict that a restart would
 * hide, two owners fight over backoff, and after a reboot a workload must not run before its socket and its route do.
 * While the control plane is down a dead replica stays down; the others of its service go on serving.
 */
import { durationMs } from '../../specs/duration.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import type { ContainerState } from '../engine/engine.ts';
import type { Decision } from './decision.ts';
import { driftOf, isStranded, serves } from './drift.ts';
import type { Observed } from './observe.ts';
import { cutSlackMs, suspend } from './pause.ts';
import type { Step } from './steps.ts';

/** Deaths within this time of the start count towards the backoff; one after it starts afresh. Milliseconds. */
const steadyMs = 10 * 60_000;
/** First restart at once, then 1 s doubling to 5 minutes (kubelet's crash loop, faster at the start). Milliseconds. */
export const backoffMs = (crashes: number): number =>
  crashes <= 1 ? 0 : Math.min(1_000 * 2 ** (crashes - 2), 300_000);

export type { Decision } from './decision.ts';

/** Asked at once: its answer, good or not, or its death is what wakes the replica next. */
const startAndAsk: readonly Step[] = [{ do: 'start' }, { do: 'probe' }];
/** Should neither come. Milliseconds. */
const lookAfter = 1_000;
/** What has run for so long without a good answer is not about to give one: nobody waits for it. Milliseconds. */
const answerMs = 10_000;

export function plan(row: Row<'Replica'>, observed: Observed, now: number): Decision {
  if (row.deleted_at !== null || !observed.deployment || !observed.project) return drain(row, observed, now);
  if (row.spec.paused_at !== undefined) return suspend(row, row.spec.paused_at, observed, now);
  const { container, project } = observed;
  if (project.status.network === null) {
    return {
      steps: [],
      phase: 'Pending',
      reason: 'Creating',
      message: "Waiting for the project's network.",
      requeueAfter: 100,
    };
  }
  if (isStranded(row, observed)) return stranded(row, observed, now);
  if (isRefused(row, container)) return refused(row, observed, now);
  if (container) return mended(row, container, observed, kept(row, container, observed, now));
  const decision = { steps: [{ do: 'create' } as const, ...startAndAsk], ...starting(observed) };
  // It was made, and somebody removed it.
  const drift = row.status.container === null ? {} : { drift: ['its container was removed'] };
  if (row.status.phase === 'Ready') {
    const said = { phase: 'Exited', reason: 'Exited', message: 'Its container is gone.' } as const;
    return { steps: [{ do: 'unprobe' }], ...said, ...drift, requeueAfter: 0 };
  }
  return { ...decision, ...drift, requeueAfter: lookAfter };
}

function kept(row: Row<'Replica'>, container: ContainerState, observed: Observed, now: number): Decision {
  switch (container.state) {
    case 'created':
      return { steps: [...startAndAsk], ...starting(observed), requeueAfter: lookAfter };
    case 'running':
      return running(row, observed, now);
    case 'exited':
      return exited(row, container, observed, now);
  }
}

/** What was changed at it by hand is put right: before it is started, else at once. */
function mended(
  row: Row<'Replica'>,
  container: ContainerState,
  observed: Observed,
  decision: Decision,
): Decision {
  const starts = decision.steps.some((step) => step.do === 'start' || step.do === 'restart');
  if (container.state !== 'running' && !starts) return decision;
  const { steps, found, isResize, isWorn } = driftOf(row, container, observed);
  const first = steps.filter((step) => container.state !== 'running' || step.do !== 'limit');
  const last = steps.filter((step) => !first.includes(step));
  return {
    ...decision,
    // Written before the limits are tried: the engine may refuse them.
    steps: [...first, ...(isWorn ? [{ do: 'renew' } as const] : []), ...decision.steps, ...last],
    ...(found.length === 0 ? {} : { drift: found }),
    ...(isResize ? { resize: true } : {}),
  };
}

/** It goes on if it can (one that listens on a socket does), and is never started again. */
function stranded(row: Row<'Replica'>, observed: Observed, now: number): Decision {
  const moved = "its project's network had to move to another range";
  const renewal = serves(row, observed)
    ? { steps: [{ do: 'renew' } as const], drift: [`${moved}, so it is replaced`] }
    : { steps: [] };
  if (observed.container?.state === 'running') {
    const decision = running(row, observed, now);
    return { ...decision, ...renewal, steps: [...renewal.steps, ...decision.steps] };
  }
  const steps: Step[] = [{ do: 'unprobe' }, { do: 'follow' }, ...renewal.steps];
  const message = `It cannot be started: ${moved}. A new deployment or a restart replaces it.`;
  return { ...renewal, steps, phase: 'Exited', reason: 'StartFailed', message };
}

function starting(observed: Observed): Pick<Decision, 'phase' | 'reason' | 'message'> {
  const message = `Waiting for a good answer from the workload.${askedLast(observed)}`;
  return { phase: 'Starting', reason: 'Starting', message };
}

const askedLast = ({ probe }: Observed): string => (probe ? ` The last probe: ${probe.words}` : '');

/** Ready is remembered per run: a control plane that comes back has no answer yet, and must not take it off its routes. */
function running(row: Row<'Replica'>, observed: Observed, now: number): Decision {
  const { container, probe } = observed;
  const passed = row.status.phase === 'Ready' && row.status.started_at === container?.startedAt;
  if (passed || probe?.passed === true) {
    return { steps: [{ do: 'follow' }], phase: 'Ready', reason: 'Ready', message: 'The workload answers.' };
  }
  const steps: Step[] = [{ do: 'probe' }, { do: 'follow' }];
  const left = Date.parse(container?.startedAt ?? timestamp(now)) + answerMs - now;
  if (left > 0) return { steps, ...starting(observed), requeueAfter: left };
  const message = `It runs, and has given no good answer for ${answerMs / 1_000} s.${askedLast(observed)}`;
  return { steps, phase: 'Starting', reason: 'Unresponsive', message };
}

const readyOf = ({ status }: Row<'Replica'>) => status.conditions.find(({ type }) => type === 'Ready');

/** Whether it could not be run as it was asked for, as reconcile.ts put on record, and nobody changed that. */
function isRefused(row: Row<'Replica'>, container: ContainerState | undefined): boolean {
  if (row.status.phase !== 'Exited') return false;
  return container ? container.state === 'created' : refusalOf(row) !== undefined;
}

const refusals = ['StartFailed', 'SecretUnavailable', 'MountUnavailable'] as const;

function refusalOf(row: Row<'Replica'>): (typeof refusals)[number] | undefined {
  const reason = readyOf(row)?.reason;
  return refusals.find((refusal) => refusal === reason);
}

/** The verdict stands, or, of one that is kept alive, it is tried again in a while. */
function refused(row: Row<'Replica'>, { deployment, container }: Observed, now: number): Decision {
  const before = readyOf(row);
  const reason = refusalOf(row) ?? 'StartFailed';
  const decision: Decision = { steps: [], phase: 'Exited', reason, message: before?.message ?? '' };
  if (deployment?.status.epoch !== row.spec.epoch) return decision;
  const restartAt = row.status.restart_at === null ? now : Date.parse(row.status.restart_at);
  if (now < restartAt) return { ...decision, requeueAfter: restartAt - now };
  return {
    ...decision,
    steps: container ? [{ do: 'start' }] : [{ do: 'create' }, ...startAndAsk],
    requeueAfter: 0,
  };
}

/** Only replicas of a promoted deployment are kept alive: before that, a death is its deployment's verdict. */
function exited(
  row: Row<'Replica'>,
  { exit, startedAt }: ContainerState,
  { deployment }: Observed,
  now: number,
): Decision {
  // What it printed last is still at the engine.
  const steps: Step[] = [{ do: 'unprobe' }, { do: 'follow' }];
  const decision: Decision = { steps, phase: 'Exited', ...causeOf(exit) };
  const { message } = decision;
  if (exit && row.status.last_exit?.at !== exit.at) decision.exit = newDeath(row, exit, startedAt, now);
  if (deployment?.status.epoch !== row.spec.epoch) return decision;
  const restartAt = Date.parse(
    decision.exit?.restart_at ?? row.status.restart_at ?? new Date(now).toISOString(),
  );
  if (now < restartAt) {
    return {
      ...decision,
      reason: 'BackOff',
      message: `${message} Waiting before it is started again.`,
      requeueAfter: restartAt - now,
    };
  }
  // First it is said, so that nothing is routed to it while it is started.
  if (row.status.phase === 'Ready') return { ...decision, requeueAfter: 0 };
  return { ...decision, steps: [...decision.steps, { do: 'restart' }], requeueAfter: 0 };
}

function causeOf(exit: ContainerState['exit']): Pick<Decision, 'reason' | 'message'> {
  if (exit?.outOfMemory === true) return { reason: 'OutOfMemory', message: 'Killed over its memory limit.' };
  return { reason: 'Exited', message: `Exited with code ${exit?.code ?? -1}.` };
}

type Death = NonNullable<ContainerState['exit']>;

function newDeath(
  row: Row<'Replica'>,
  exit: Death,
  startedAt: string | null,
  now: number,
): NonNullable<Decision['exit']> {
  const lived = startedAt === null ? 0 : Date.parse(exit.at) - Date.parse(startedAt);
  const crashes = lived >= steadyMs ? 1 : row.status.crashes + 1;
  return {
    last_exit: { code: exit.code, out_of_memory: exit.outOfMemory, at: exit.at },
    served: row.status.phase === 'Ready',
    crashes,
    restart_at: new Date(now + backoffMs(crashes)).toISOString(),
  };
}

/** Unwanted: wait until nothing is routed to it and its requests are through (or out of time), then stop and remove it. */
function drain(row: Row<'Replica'>, observed: Observed, now: number): Decision {
  const { phase } = row.status;
  const { container, service, routed, idle, stopping } = observed;
  const waiting = { phase, reason: 'Starting' as const, message: 'Draining.' };
  if (routed) return { steps: [], ...waiting, awaitRoutes: true, requeueAfter: 1_000 };
  const allowed = durationMs(service?.spec.release.drain ?? '30s') + cutSlackMs;
  const until = Date.parse(row.deleted_at ?? row.updated_at) + allowed;
  if (!idle && container?.state === 'running' && now < until) {
    return { steps: [], ...waiting, awaitRoutes: true, requeueAfter: until - now };
  }
  if (stopping) return { steps: [], ...waiting };
  if (container?.state === 'running') return { steps: [{ do: 'unprobe' }, { do: 'stop' }], ...waiting };
  return { steps: [{ do: 'unprobe' }, { do: 'remove' }], ...waiting };
}
