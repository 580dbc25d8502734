/**
 * Stops a replica and keeps its container, so that it can be started again if what is tried in its place fails: a stop-first
 * release. Pure.
 */
import { durationMs } from '../../specs/duration.ts';
import type { Row } from '../../specs/index.ts';
import { stopFirstDrainMs } from '../../specs/stop-first.ts';
import type { Decision } from './decision.ts';
import type { Observed } from './observe.ts';

/**
 * What is under way when its time is up is cut by the ingress, which begins to count when it has swapped; that is later than
 * the wish, and until then the workload must be there to answer. Milliseconds.
 */
export const cutSlackMs = 2_000;

/**
 * It is Paused, and so nothing of it runs, only once its container was seen not to: whoever waits to use its volumes relies on
 * that. Until then its phase stays what it was.
 *
 * Nor will anything of it run later. A start that was asked for before, and given up or cut off by a crash, may take effect at
 * any time; so a container is kept only if it was seen to run since the pause began, and was stopped by us after that: then
 * that start is done with. Any other one is removed, which leaves nothing to start, and is made anew if it is to go on. This
 * rests on the engine doing what it is asked of one container in the order in which it was asked, as Docker does (each call
 * holds the container's lock). Should somebody start it by hand, the engine's event leads here, and it is stopped again.
 * @param pausedAt RFC 3339
 */
export function suspend(row: Row<'Replica'>, pausedAt: string, observed: Observed, now: number): Decision {
  const { container, stopping, routed } = observed;
  if (container?.state === 'running') return quiesce(row, Date.parse(pausedAt), observed, now);
  const isSeen = wasSeenRunning(row);
  if (stopping) return { steps: [], ...(isSeen ? beingStopped(row) : beingRemoved) };
  if (container && !isSeen) {
    if (routed) return { steps: [], ...beingRemoved, awaitRoutes: true, requeueAfter: 1_000 };
    return { steps: [{ do: 'unprobe' }, { do: 'discard' }], ...beingRemoved, requeueAfter: 0 };
  }
  const message = 'Stopped while another deployment of its service is started.';
  const decision: Decision = { steps: [{ do: 'unprobe' }], phase: 'Paused', reason: 'Paused', message };
  const exit = container?.exit;
  if (!exit || row.status.last_exit?.at === exit.at) return decision;
  // On record, so that it is not taken for a death when it is started again; and no reason to wait then.
  const last = { code: exit.code, out_of_memory: exit.outOfMemory, at: exit.at };
  return { ...decision, exit: { last_exit: last, crashes: row.status.crashes, restart_at: exit.at } };
}

/** Once nothing is routed to it and its requests are through (or out of time), it is stopped. */
function quiesce(
  row: Row<'Replica'>,
  since: number,
  { service, routed, idle, stopping }: Observed,
  now: number,
): Decision {
  const waiting = beingStopped(row);
  if (routed) return { steps: [], ...waiting, awaitRoutes: true, requeueAfter: 1_000 };
  const drain = Math.min(durationMs(service?.spec.release.drain ?? '30s'), stopFirstDrainMs);
  const left = since + drain + cutSlackMs - now;
  if (!idle && left > 0) return { steps: [], ...waiting, awaitRoutes: true, requeueAfter: left };
  return { steps: stopping ? [] : [{ do: 'unprobe' }, { do: 'stop' }], ...waiting };
}

/**
 * Whether a pass saw its container run since it is to be paused: what that wrote stands, and the wish has not changed since. What
 * a crash keeps from being written is taken for not seen.
 */
function wasSeenRunning({ status, ...row }: Row<'Replica'>): boolean {
  const reason = status.conditions.find(({ type }) => type === 'Ready')?.reason;
  return row.observed_generation === row.generation && reason === 'Paused';
}

/** With another reason than one that was seen to run. */
const beingRemoved = {
  phase: 'Exited',
  reason: 'Exited',
  message: 'Its container, which does not run, is being removed, so that nothing starts it.',
} as const;

/** Says that it was seen to run: wasSeenRunning relies on that. */
function beingStopped({ status }: Row<'Replica'>): Pick<Decision, 'phase' | 'reason' | 'message'> {
  const phase = status.phase === 'Paused' ? 'Starting' : status.phase;
  return { phase, reason: 'Paused', message: 'It is being stopped.' };
}
