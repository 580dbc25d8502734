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
 * @param pausedAt RFC 3339
 */
export function suspend(row: Row<'Replica'>, pausedAt: string, observed: Observed, now: number): Decision {
  const { container, stopping } = observed;
  if (container?.state === 'running') return quiesce(row, Date.parse(pausedAt), observed, now);
  if (stopping) return { steps: [], ...beingStopped(row) };
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

function beingStopped({ status }: Row<'Replica'>): Pick<Decision, 'phase' | 'reason' | 'message'> {
  const phase = status.phase === 'Paused' ? 'Starting' : status.phase;
  return { phase, reason: 'Paused', message: 'It is being stopped.' };
}
