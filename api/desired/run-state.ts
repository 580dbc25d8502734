/**
 * Stop, start and restart of a service: writes of its desired state, and nothing else. Each throws `conflict` while the
 * service is being deleted.
 */
import type { Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { Rollout } from '../../specs/service.ts';
import type { Store, Writer } from '../store/store.ts';
import { livingService } from './living.ts';

/** Its replicas go away; everything else stays. Does nothing to a stopped one. */
export function stopService(store: Store, id: string, ifVersion?: number): Promise<Row<'Service'>> {
  return store.write((writer) => updateRollout(writer, id, { running: false }, ifVersion));
}

/** Runs the deployment that it ran last. Throws `conflict` when there is none that can run. */
export function startService(store: Store, id: string, ifVersion?: number): Promise<Row<'Service'>> {
  return store.write(async (writer) => {
    const deployment = await lastRun(writer, id);
    if (!deployment)
      throw new ProblemError('conflict', 'Nothing was deployed to this service yet. Push first.');
    const { phase, image } = deployment.status;
    if (phase === 'Failed' || (phase === 'Stopped' && image === null)) {
      throw new ProblemError('conflict', 'No deployment of this service has worked yet. Push again.');
    }
    await writer.updateSpec('Deployment', deployment.id, (spec) => ({ ...spec, stopped: false }));
    return updateRollout(writer, id, { running: true }, ifVersion);
  });
}

/** New replicas of the same deployment, gate first. Throws `conflict` when it does not run. */
export function restartService(store: Store, id: string, ifVersion?: number): Promise<Row<'Service'>> {
  return store.write(async (writer) => {
    const service = await livingService(writer, id);
    const promoted = service.status.promoted && (await writer.get('Deployment', service.status.promoted));
    if (!service.spec.rollout.running || !promoted || promoted.spec.stopped) {
      throw new ProblemError('conflict', 'The service does not run. Start it, or push first.');
    }
    return updateRollout(writer, id, { epoch: service.spec.rollout.epoch + 1 }, ifVersion);
  });
}

/** The promoted one, else the first one on its way. */
async function lastRun(writer: Writer, serviceId: string): Promise<Row<'Deployment'> | undefined> {
  const service = await livingService(writer, serviceId);
  const id = service.status.promoted ?? service.spec.rollout.target;
  return id ? writer.get('Deployment', id) : undefined;
}

async function updateRollout(
  writer: Writer,
  id: string,
  change: Partial<Rollout>,
  ifVersion?: number,
): Promise<Row<'Service'>> {
  await livingService(writer, id);
  return writer.updateSpec(
    'Service',
    id,
    (spec) => ({ ...spec, rollout: { ...spec.rollout, ...change } }),
    ifVersion,
  );
}
