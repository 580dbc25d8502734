/**
 * Counts what became of requests while a deployment takes over from the replicas before. Pure.
 *
 * The ingress only counts up, and a new control plane may know less than the one before it until its workers have told it
 * all. So a receipt holds differences to what was counted at the promotion, and never falls.
 */
import { noTraffic, type TrafficTotals } from '../../ingress/index.ts';
import type { Receipt, Takeover } from '../../specs/deployment.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import type { Decision } from './decision.ts';
import type { Observed } from './observe.ts';
import { ownOf } from './own.ts';
import { rowsOf } from './verdict.ts';

/** Milliseconds until figures are looked at again. */
export const lookAgainAfter = 2_000;

/** Ids of replicas. */
interface Sides {
  replaced: readonly string[];
  own: readonly string[];
}

/** Figures as they are now, of replicas before and of those of the deployment. */
type Figures = Takeover['base'] & { parked_longest_ms: number };

export function figuresOf(traffic: TrafficTotals, serviceId: string, { replaced, own }: Sides): Figures {
  const service = traffic.services[serviceId];
  const [old, its] = [replaced, own].map((ids) => {
    const known = ids.map((id) => traffic.replicas[id] ?? noTraffic());
    return {
      answered: known.reduce((sum, { answered }) => sum + answered, 0),
      longest: Math.max(0, ...known.map(({ longest_ms: longest }) => Math.ceil(longest))),
    };
  }) as [Side, Side];
  const { total = noTraffic(), unavailable = 0, parked = 0, parked_longest_ms = 0 } = service ?? {};
  return {
    ...{ served_old: old.answered, longest_old_ms: old.longest },
    ...{ served_new: its.answered, longest_new_ms: its.longest },
    ...{ failed: total.failed + unavailable, aborted: total.aborted },
    ...{ parked, parked_longest_ms: Math.ceil(parked_longest_ms) },
  };
}

interface Side {
  answered: number;
  longest: number;
}

/** At the moment in which routing is pointed at a deployment, or in which requests begin to wait for it. */
export function begin(
  traffic: TrafficTotals,
  serviceId: string,
  sides: Sides,
  now: number,
): { takeover: Takeover; receipt: Receipt } {
  const { served_old, served_new, failed, aborted, parked, longest_old_ms, longest_new_ms } = figuresOf(
    traffic,
    serviceId,
    sides,
  );
  const base = { served_old, served_new, failed, aborted, parked, longest_old_ms, longest_new_ms };
  const nothing = {
    ...{ served_old: 0, served_new: 0, failed: 0, aborted: 0, parked: 0, parked_longest_ms: 0 },
    ...{ longest_wait_ms: 0, started_at: timestamp(now), finished_at: null },
  };
  return { takeover: { replaced: [...sides.replaced], base, settled_at: null }, receipt: nothing };
}

export function count(receipt: Receipt, { base }: Takeover, figures: Figures): Receipt {
  const risen = (name: 'served_old' | 'served_new' | 'failed' | 'aborted' | 'parked'): number =>
    Math.max(receipt[name], figures[name] - base[name]);
  // The longest of all time is the longest of this one if it became longer.
  const longest = (name: 'longest_old_ms' | 'longest_new_ms'): number =>
    figures[name] > base[name] ? figures[name] : 0;
  const parked = risen('parked');
  const waited = Math.max(receipt.parked_longest_ms, parked > 0 ? figures.parked_longest_ms : 0);
  return {
    ...receipt,
    ...{ served_old: risen('served_old'), served_new: risen('served_new') },
    ...{ failed: risen('failed'), aborted: risen('aborted'), parked },
    parked_longest_ms: waited,
    longest_wait_ms: Math.max(
      ...[receipt.longest_wait_ms, waited],
      ...[longest('longest_old_ms'), longest('longest_new_ms')],
    ),
  };
}

/**
 * Adds to a decision what was counted since. The receipt is final once the replicas before have finished their requests,
 * nobody watches the deployment any more, and the workers, who tell once a second, have told since. One that serves no longer
 * has its own at once, for the next one's goes on from there. One that was taken back has it when its own replicas have finished
 * theirs, and, where requests wait until what was before it serves again, when those were let go.
 */
export function account(
  row: Row<'Deployment'>,
  observed: Observed,
  decision: Decision,
  now: number,
): Decision {
  const { takeover, receipt } = row.status;
  // One that is promoted in this pass begins another.
  if (takeover === null || receipt === null || decision.steps.some((step) => step.do === 'promote'))
    return decision;
  const { replicas, traffic } = observed;
  const own = ownOf(takeover, rowsOf(replicas));
  const counted = traffic
    ? count(receipt, takeover, figuresOf(traffic, row.spec.service_id, { ...takeover, own }))
    : receipt;
  const settledAt = settledSince(row, takeover, observed, decision, now);
  const left = typeof settledAt === 'string' ? Date.parse(settledAt) + lookAgainAfter - now : Infinity;
  if (settledAt === undefined || left <= 0)
    return { ...decision, takeover: null, receipt: { ...counted, finished_at: timestamp(now) } };
  const next = { receipt: counted, takeover: { ...takeover, own, settled_at: settledAt } };
  const requeueAfter = Math.min(decision.requeueAfter ?? Infinity, lookAgainAfter, left);
  return { ...decision, ...next, requeueAfter };
}

/** @returns since when nothing is left to be counted; null while something is, undefined where nobody need be waited for */
function settledSince(
  row: Row<'Deployment'>,
  { settled_at: before }: Takeover,
  observed: Observed,
  decision: Decision,
  now: number,
): string | null | undefined {
  const { phase, reason, endBake } = decision;
  if (phase === 'Healthy' || phase === 'Starting')
    return isSettled(row, observed, decision) ? (before ?? timestamp(now)) : null;
  if (endBake === 'take back' || isParkedFor(observed.service)) return timestamp(now);
  if (phase !== 'Failed' || reason !== 'RolledBack') return before ?? undefined;
  return observed.isIdle ? (before ?? timestamp(now)) : null;
}

function isSettled(
  { id }: Row<'Deployment'>,
  { service, drained }: Pick<Observed, 'service' | 'drained'>,
  { phase, endBake }: Decision,
): boolean {
  const isWatched = service?.status.bake?.deployment === id && endBake === undefined;
  return phase === 'Healthy' && drained && !isWatched && !isParkedFor(service);
}

const isParkedFor = (service: Row<'Service'> | undefined): boolean =>
  service !== undefined && service.status.parked_since !== null;
