/**
 * Judges a deployment that was promoted over another one, while that one stands by: ready to serve, or, after a stop-first
 * release, stopped and ready to be started again. Pure.
 *
 * The figures are the ingress' own, of what clients got. Rules with their models: a share of errors that is worse only by
 * luck must not take anything back, so it takes five bad answers, as Envoy's outlier detection does (`consecutive_5xx`: 5),
 * among at least twenty; and a share that is both twice and five points above that of the deployment before, since each of
 * the two alone is noise at one end of the scale (Kayenta compares with the baseline in the same way). Two deaths of one
 * replica are a crash loop, for the first restart is at once. That none is ready is borne longer where those that stand by
 * have to be started first: a restart may well be done sooner than that.
 */
import type { TrafficTotals } from '../../ingress/index.ts';
import type { Row } from '../../specs/index.ts';
import type { Bake } from '../../specs/service.ts';
import { lookAgainAfter } from './receipt.ts';
import { isQuiet } from './stop-first.ts';

export const bounds = {
  ...{ requests: 20, bad: 5, times: 2, points: 0.05, deaths: 2 },
  downMs: { ready: 2_000, stopped: 10_000 },
} as const;

export type Judgement =
  | { is: 'good' }
  /** `message` says why, with the figures. */
  | { is: 'bad'; message: string }
  | { is: 'open'; requeueAfter: number };

export interface Evidence {
  /** Replicas of the deployment. */
  replicas: readonly Row<'Replica'>[];
  /** Replicas that stand by. */
  warm: readonly Row<'Replica'>[];
  traffic: TrafficTotals;
}

/** Whether a replica of the deployment before could serve again. */
export function isRelief(replica: Row<'Replica'>): boolean {
  return replica.deleted_at === null && (replica.status.phase === 'Ready' || isQuiet(replica));
}

/** Whether it stands by while the one after it is watched: it keeps its replicas, which get no requests. */
export function isWarm({ id, spec, ...row }: Row<'Deployment'>, service: Row<'Service'>): boolean {
  const { bake, promoted } = service.status;
  if (bake?.previous !== id || bake.deployment !== promoted) return false;
  // Somebody went back to it by hand, and it did not come up.
  if (row.status.phase === 'Failed') return false;
  return (
    service.spec.rollout.running && !spec.stopped && row.deleted_at === null && service.deleted_at === null
  );
}

/** How many requests replicas got, and how many of them ended badly for the client. */
export function sharesOf(ids: readonly string[], { replicas }: TrafficTotals): Bake['before'] {
  const known = ids.map((id) => replicas[id]).filter((found) => found !== undefined);
  return {
    // What was asked elsewhere, or whose client left, says nothing about the replica.
    requests: known.reduce((sum, { requests, retried, gone }) => sum + requests - retried - gone, 0),
    bad: known.reduce((sum, { errors, failed }) => sum + errors + failed, 0),
  };
}

export function judge(bake: Bake, { replicas, warm, traffic }: Evidence, now: number): Judgement {
  // What has nobody to go back to stays.
  const message = warm.some(isRelief)
    ? (crashed(replicas, warm, now) ?? failing(bake, replicas, traffic))
    : undefined;
  if (message !== undefined) return { is: 'bad', message };
  const left = Date.parse(bake.until) - now;
  return left <= 0 ? { is: 'good' } : { is: 'open', requeueAfter: Math.min(left, lookAgainAfter) };
}

function crashed(
  replicas: readonly Row<'Replica'>[],
  warm: readonly Row<'Replica'>[],
  now: number,
): string | undefined {
  const deaths = (rows: readonly Row<'Replica'>[]): number =>
    Math.max(0, ...rows.map(({ status }) => status.crashes));
  // An engine that restarts ends them all, and says nothing about any.
  if (deaths(replicas) >= deaths(warm) + bounds.deaths)
    return `It crashed ${deaths(replicas)} times since it was promoted.`;
  const down = replicas.filter(({ status }) => status.phase !== 'Ready' && status.crashes > 0);
  if (replicas.length === 0 || down.length < replicas.length) return undefined;
  const patience = warm.some(({ status }) => status.phase === 'Ready')
    ? bounds.downMs.ready
    : bounds.downMs.stopped;
  const isLasting = down.every(({ status }) => {
    const ready = status.conditions.find(({ type }) => type === 'Ready');
    return ready !== undefined && now - Date.parse(ready.last_transition_at) >= patience;
  });
  return isLasting ? 'None of its replicas is ready any more.' : undefined;
}

function failing(
  { before }: Bake,
  replicas: readonly Row<'Replica'>[],
  traffic: TrafficTotals,
): string | undefined {
  const ids = replicas.map(({ id }) => id);
  const after = sharesOf(ids, traffic);
  if (after.requests < bounds.requests || after.bad < bounds.bad) return undefined;
  const [was, is] = [shareOf(before), shareOf(after)];
  if (is <= was * bounds.times || is <= was + bounds.points) return undefined;
  return `${words(after)} failed or were answered with a status from 500 on; with the one before ${words(before)}.`;
}

const shareOf = ({ requests, bad }: Bake['before']): number => (requests === 0 ? 0 : bad / requests);

function words(share: Bake['before']): string {
  const percent = (shareOf(share) * 100).toFixed(1).replace(/\.0$/, '');
  return `${share.bad} of ${share.requests} requests (${percent} %)`;
}
