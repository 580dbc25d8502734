/**
 * Decides what a replica needs next. Pure. The state diagram is in specs/replica.ts.
 *
 * The engine's own restart policy is off: one owner of restarts. A candidate's death is a verdict that a restart would
 * hide, two owners fight over backoff, and after a reboot a workload must not run before its socket and its route do.
 * While the control plane is down a dead replica stays down; the others of its service go on serving.
 */
import { durationMs } from '../../specs/duration.ts';
import type { Row } from '../../specs/index.ts';
import type { ReplicaReason, Reason } from '../../specs/reasons.ts';
import type { Exit, ReplicaPhase } from '../../specs/replica.ts';
import type { ContainerState } from '../engine/engine.ts';
import type { Observed } from './observe.ts';
import type { Step } from './steps.ts';

/** Deaths within this time of the start count towards the backoff; one after it starts afresh. Milliseconds. */
const steadyMs = 10 * 60_000;
/** First restart at once, then 1 s doubling to 5 minutes (kubelet's crash loop, faster at the start). Milliseconds. */
export const backoffMs = (crashes: number): number =>
  crashes <= 1 ? 0 : Math.min(1_000 * 2 ** (crashes - 2), 300_000);

export interface Decision {
  steps: Step[];
  phase: ReplicaPhase;
  reason: Reason<typeof ReplicaReason>;
  message: string;
  /** A death that was not on record yet. */
  exit?: { last_exit: Exit | null; crashes: number; restart_at: string };
  requeueAfter?: number;
  /** Wake when the ingress has something new to say. */
  awaitRoutes?: true;
}

/** Asked at once: its answer, good or not, or its death is what wakes the replica next. */
const startAndAsk: readonly Step[] = [{ do: 'start' }, { do: 'probe' }];
/** Should neither come. Milliseconds. */
const lookAfter = 1_000;

export function plan(row: Row<'Replica'>, observed: Observed, now: number): Decision {
  if (row.deleted_at !== null || !observed.deployment || !observed.project) return drain(row, observed, now);
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
  if (isRefused(row, container)) return refused(row, observed, now);
  if (!container)
    return { steps: [{ do: 'create' }, ...startAndAsk], ...starting(row, observed), requeueAfter: lookAfter };
  if (container.state === 'created')
    return { steps: [...startAndAsk], ...starting(row, observed), requeueAfter: lookAfter };
  return container.state === 'running' ? running(row, observed) : exited(row, container, observed, now);
}

function starting(row: Row<'Replica'>, { probe }: Observed): Pick<Decision, 'phase' | 'reason' | 'message'> {
  const asked = probe ? ` The last probe: ${probe.words}` : '';
  return {
    phase: 'Starting',
    reason: 'Starting',
    message: `Waiting for a good answer from the workload.${asked}`,
  };
}

/** Ready is remembered per run: a control plane that comes back has no answer yet, and must not take it off its routes. */
function running(row: Row<'Replica'>, observed: Observed): Decision {
  const { container, probe } = observed;
  const passed = row.status.phase === 'Ready' && row.status.started_at === container?.startedAt;
  if (passed || probe?.passed === true) {
    return { steps: [{ do: 'follow' }], phase: 'Ready', reason: 'Ready', message: 'The workload answers.' };
  }
  return { steps: [{ do: 'probe' }, { do: 'follow' }], ...starting(row, observed) };
}

const readyOf = ({ status }: Row<'Replica'>) => status.conditions.find(({ type }) => type === 'Ready');

/** Whether it could not be run as it was asked for, as reconcile.ts put on record, and nobody changed that. */
function isRefused(row: Row<'Replica'>, container: ContainerState | undefined): boolean {
  if (row.status.phase !== 'Exited') return false;
  const reason = readyOf(row)?.reason;
  return container
    ? container.state === 'created'
    : reason === 'StartFailed' || reason === 'SecretUnavailable';
}

/** The verdict stands, or, of one that is kept alive, it is tried again in a while. */
function refused(row: Row<'Replica'>, { deployment, container }: Observed, now: number): Decision {
  const before = readyOf(row);
  const reason = before?.reason === 'SecretUnavailable' ? 'SecretUnavailable' : 'StartFailed';
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
  const until =
    Date.parse(row.deleted_at ?? row.updated_at) + durationMs(service?.spec.release.drain ?? '30s');
  if (!idle && container?.state === 'running' && now < until) {
    return { steps: [], ...waiting, awaitRoutes: true, requeueAfter: until - now };
  }
  if (stopping) return { steps: [], ...waiting };
  if (container?.state === 'running') return { steps: [{ do: 'unprobe' }, { do: 'stop' }], ...waiting };
  return { steps: [{ do: 'unprobe' }, { do: 'remove' }], ...waiting };
}
