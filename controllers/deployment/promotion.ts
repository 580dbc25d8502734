/**
 * Points routing at a deployment, and back at the one before. Each is one transaction, done only if what was observed is
 * still so: somebody may have called it off, or another deployment been promoted meanwhile.
 */
import type { Writer } from '../../api/store/store.ts';
import type { Ingress, TrafficTotals } from '../../ingress/index.ts';
import type { Clock } from '../../specs/clock.ts';
import { durationMs } from '../../specs/duration.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import type { Bake } from '../../specs/service.ts';
import { isRelief, sharesOf } from './bake.ts';
import { begin } from './receipt.ts';
import { isCurrent, type Observed } from './observe.ts';

export interface PromotionDeps {
  ingress: Pick<Ingress, 'traffic'>;
  clock: Clock;
}

/** Its own epoch and the service's choice at once. */
export async function promoteIn(
  writer: Writer,
  row: Row<'Deployment'>,
  epoch: number,
  observed: Observed,
  { ingress, clock }: PromotionDeps,
): Promise<void> {
  const service = await writer.get('Service', row.spec.service_id);
  if (!service || !(await isCurrent(row, observed, writer))) return;
  const now = clock.now();
  const own = observed.replicas.filter(({ row: r }) => r.spec.epoch === epoch).map(({ row: r }) => r.id);
  const replaced = observed.routed.filter((id) => !own.includes(id));
  const traffic = ingress.traffic();
  const isCounting = row.status.takeover !== null && service.status.parked_since !== null;
  const counting =
    replaced.length === 0 || isCounting ? {} : begin(traffic, service.id, { replaced, own }, now);
  await writer.patchStatus('Deployment', row.id, row.generation, {
    ...{ epoch, promoted_at: timestamp(now), ...counting },
  });
  const { promoted, previous } = service.status;
  const choice = promoted === row.id ? {} : { promoted: row.id, previous: promoted ?? previous };
  const bake = await bakeOf(row, service, traffic, now, writer);
  // What is observed of the service stays as it is: only its own controller knows whether the rest of it was seen to.
  await writer.patchStatus('Service', service.id, service.observed_generation, { ...choice, bake });
}

/**
 * Only the first promotion of a deployment is watched: a restart, a start and a rollback were asked for by somebody who
 * knows what it is like. And only over one that could serve again: its replicas are ready, or were stopped for this one and are
 * kept. A first deployment, or one after a service was stopped, has nothing to go back to.
 */
async function bakeOf(
  row: Row<'Deployment'>,
  { spec, status }: Row<'Service'>,
  traffic: TrafficTotals,
  now: number,
  writer: Writer,
): Promise<Bake | null> {
  const { auto_rollback: isWanted, bake } = spec.release;
  const { promoted, previous: earlier } = status;
  const isOnce = row.status.promoted_at === null && promoted !== null && promoted !== row.id;
  if (!isOnce || !isWanted || durationMs(bake) === 0) return null;
  const old = await writer.get('Deployment', promoted);
  const replicas = await writer.list('Replica', { owner: promoted });
  const served = replicas.filter(({ spec: { epoch } }) => epoch === old?.status.epoch);
  if (!served.some(isRelief)) return null;
  const before = sharesOf(
    served.map(({ id }) => id),
    traffic,
  );
  const [since, until] = [timestamp(now), timestamp(now + durationMs(bake))];
  return { deployment: row.id, previous: promoted, earlier, since, until, before };
}

/**
 * Ends the watch over a deployment: it stays, or routing goes back to the one before. Where that one was stopped, requests
 * wait from this moment on: it is started once nothing of the other one runs any longer (stop-first.ts).
 * @returns whether it was still being watched; otherwise nothing is done
 */
export async function endBakeIn(
  writer: Writer,
  { id, spec }: Row<'Deployment'>,
  end: 'keep' | 'take back',
  now: number,
): Promise<boolean> {
  const service = await writer.get('Service', spec.service_id);
  const bake = service?.status.bake;
  if (!service || !bake || bake.deployment !== id) return false;
  const { previous: promoted, earlier: previous } = bake;
  const choice =
    end === 'keep' ? {} : { promoted, previous, ...(await parkingFor(promoted, service, now, writer)) };
  await writer.patchStatus('Service', service.id, service.observed_generation, { ...choice, bake: null });
  return true;
}

async function parkingFor(
  deployment: string,
  { status }: Row<'Service'>,
  now: number,
  writer: Writer,
): Promise<Partial<Row<'Service'>['status']>> {
  const replicas = await writer.list('Replica', { owner: deployment });
  const isStopped = replicas.some(
    ({ spec, deleted_at: deleted }) => spec.paused_at !== undefined && deleted === null,
  );
  return isStopped ? { parked_since: status.parked_since ?? timestamp(now) } : {};
}
