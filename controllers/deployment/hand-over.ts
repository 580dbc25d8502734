/**
 * The effects of a stop-first release (stop-first.ts). Each is one transaction that looks again whether it may: passes over two
 * deployments of a service go on side by side.
 */
import type { Reader, Store, Writer } from '../../api/store/store.ts';
import type { Ingress } from '../../ingress/index.ts';
import type { Clock } from '../../specs/clock.ts';
import type { Row } from '../../specs/index.ts';
import { timestamp } from '../../specs/meta.ts';
import { isStopFirst } from '../../specs/stop-first.ts';
import { isCurrent, type Observed } from './observe.ts';
import { begin } from './receipt.ts';
import { siblingsOf } from './siblings.ts';
import { inTheWay, isQuiet } from './stop-first.ts';

export interface HandOverDeps {
  store: Pick<Store, 'write'>;
  ingress: Pick<Ingress, 'traffic'>;
  clock: Clock;
}

/** Whether a deployment may have replicas of an epoch that run. */
export async function mayRun(row: Row<'Deployment'>, epoch: number, reader: Reader): Promise<boolean> {
  const service = await reader.get('Service', row.spec.service_id);
  if (!service || !isStopFirst(service.spec.release, row.spec.workload)) return true;
  return inTheWay(row, epoch, await siblingsOf(service, reader)).every(isQuiet);
}

/** Stops, and keeps, everything else of the service. From here on its requests wait, if it served any. */
export async function pauseOthersIn(
  writer: Writer,
  row: Row<'Deployment'>,
  epoch: number,
  observed: Observed,
  { ingress, clock }: HandOverDeps,
): Promise<void> {
  const service = await writer.get('Service', row.spec.service_id);
  if (!service || !(await isCurrent(row, observed, writer))) return;
  const now = clock.now();
  const others = inTheWay(row, epoch, await siblingsOf(service, writer)).filter(
    ({ spec, deleted_at: deleted }) =>
      spec.service_id === service.id && spec.paused_at === undefined && deleted === null,
  );
  for (const { id } of others)
    await writer.updateSpec('Replica', id, (spec) => ({ ...spec, paused_at: timestamp(now) }));
  const { promoted, parked_since: parked } = service.status;
  const replaced = others.filter(({ spec }) => spec.deployment_id === promoted).map(({ id }) => id);
  if (replaced.length === 0) return;
  const counting = begin(ingress.traffic(), service.id, { replaced, own: [] }, now);
  // Known at once to who would resume what was paused: this one is about to take over.
  const starting = { phase: 'Starting', reason: 'StoppingOld', starting_at: timestamp(now) } as const;
  const isWaiting = row.status.phase === 'Starting' && row.status.reason === 'StoppingOld';
  const phase = row.status.phase === 'Healthy' || isWaiting ? {} : starting;
  await writer.patchStatus('Deployment', row.id, row.generation, { ...counting, ...phase });
  await writer.patchStatus('Service', service.id, service.observed_generation, {
    parked_since: parked ?? timestamp(now),
  });
}

/** Its replicas, which have stopped, run again. */
export async function resumeIn(
  writer: Writer,
  row: Row<'Deployment'>,
  epoch: number,
  observed: Observed,
): Promise<void> {
  const service = await writer.get('Service', row.spec.service_id);
  if (!service || !(await isCurrent(row, observed, writer))) return;
  const paused = (await writer.list('Replica', { owner: row.id })).filter(
    ({ spec, deleted_at: deleted }) =>
      spec.epoch === epoch && spec.paused_at !== undefined && deleted === null,
  );
  const others = inTheWay(row, epoch, await siblingsOf(service, writer));
  if (![...others, ...paused].every(isQuiet)) return;
  for (const replica of paused) {
    await writer.updateSpec('Replica', replica.id, (before) => {
      const spec = { ...before };
      delete spec.paused_at;
      return spec;
    });
  }
}

/** Requests wait no longer. */
export async function unparkIn(writer: Writer, { spec }: Row<'Deployment'>): Promise<void> {
  const service = await writer.get('Service', spec.service_id);
  if (!service || service.status.parked_since === null) return;
  await writer.patchStatus('Service', service.id, service.observed_generation, { parked_since: null });
}
