/** Destroying a volume: its controller carries it out, once nothing has it any more. */
import type { Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { Reader, Store } from '../store/store.ts';
import { invalid } from '../validation.ts';
import { requireVersion } from './living.ts';

/**
 * A service that is stopped does not keep it: started again it begins with an empty one. Throws `invalid` when `confirm` is
 * not its name, `conflict` while a service runs with it, `not_found`, and `precondition_failed`.
 */
export function destroyVolume(
  store: Store,
  id: string,
  { confirm, ifVersion }: { confirm: string; ifVersion?: number | undefined },
): Promise<Row<'Volume'>> {
  return store.write(async (writer) => {
    const volume = await writer.get('Volume', id);
    if (!volume) throw new ProblemError('not_found', 'There is no such volume.');
    requireVersion(volume, ifVersion);
    if (confirm !== volume.name) {
      const message = `must be ${volume.name}: what is in the volume cannot be had back`;
      throw invalid([{ path: '/confirm', message }], 'query');
    }
    if (await isUsed(volume, writer)) throw inUse(volume);
    await writer.markDeleted('Volume', id);
    return (await writer.get('Volume', id)) ?? volume;
  });
}

/** Whether a living service of its name runs with it, or something that has it is still on its way out. */
async function isUsed({ spec, owner }: Row<'Volume'>, reader: Reader): Promise<boolean> {
  const services = await reader.list('Service', { ...(owner === null ? {} : { owner }), name: spec.service });
  const replicas = await reader.list('Replica');
  for (const service of services) {
    const deployments = await reader.list('Deployment', { owner: service.id });
    const { rollout } = service.spec;
    const isWanted = (id: string): boolean =>
      service.deleted_at === null &&
      rollout.running &&
      [rollout.target, service.status.promoted].includes(id);
    const using = deployments.filter(({ spec: { workload } }) =>
      (workload.volumes ?? []).some((mount) => 'name' in mount && mount.name === spec.volume),
    );
    for (const { id, spec: own, status } of using) {
      if (isWanted(id) && !own.stopped && status.phase !== 'Failed') return true;
      if (replicas.some((replica) => replica.owner === id)) return true;
    }
  }
  return false;
}

function inUse({ name, spec }: Row<'Volume'>): ProblemError {
  return new ProblemError(
    'conflict',
    `The service ${spec.service} uses the volume ${name}. Stop it first, or delete it, or take the volume out of it and deploy.`,
  );
}
