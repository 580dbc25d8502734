/** A rollback: an earlier deployment is wanted again, as it was, without a build. */
import { workloadOf } from '../../specs/configuration.ts';
import type { HostPath } from '../../specs/host-path.ts';
import type { Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import { rollbackFault } from '../../specs/rollback.ts';
import { revisionOf } from '../../specs/revision.ts';
import type { Rollout, ServiceSpec } from '../../specs/service.ts';
import type { Store, Writer } from '../store/store.ts';
import { readMountable } from '../mountable.ts';
import { invalid } from '../validation.ts';
import { livingService } from './living.ts';

/**
 * Makes an earlier deployment the target, by default the one that was promoted before. Throws `invalid` when it is
 * not of this service, and `conflict` when it cannot serve again or the service is being deleted.
 * @param hostPaths that the node's operator allows
 */
export async function rollback(
  store: Store,
  serviceId: string,
  deploymentId: string | undefined,
  { ifVersion, hostPaths }: { ifVersion: number | undefined; hostPaths: readonly HostPath[] },
): Promise<Row<'Service'>> {
  return store.write(async (writer) => {
    const service = await livingService(writer, serviceId);
    const target = await targetOf(writer, service, deploymentId);
    const mountable = await readMountable(writer, service, hostPaths);
    const fault = rollbackFault(target, service.spec.rollout, mountable);
    if (fault !== undefined) throw new ProblemError('conflict', fault);
    await writer.updateSpec('Deployment', target.id, (spec) => ({ ...spec, stopped: false }));
    return writer.updateSpec(
      'Service',
      serviceId,
      (spec) => ({
        ...spec,
        rollout: { ...spec.rollout, ...settled(spec), target: target.id, running: true },
      }),
      ifVersion,
    );
  });
}

/** The present configuration counts as asked for: releasing it would undo the rollback. Any later change is released. */
function settled(spec: ServiceSpec): Pick<Rollout, 'configured'> | undefined {
  const configuration = workloadOf(spec);
  // Without all its secrets it is not released anyway.
  return 'missing' in configuration ? undefined : { configured: revisionOf(configuration.workload) };
}

async function targetOf(
  writer: Writer,
  service: Row<'Service'>,
  deploymentId: string | undefined,
): Promise<Row<'Deployment'>> {
  const id = deploymentId ?? service.status.previous ?? undefined;
  if (id === undefined) {
    throw new ProblemError(
      'conflict',
      'There is no earlier deployment to roll back to. Name one, or push again.',
    );
  }
  const target = await writer.get('Deployment', id);
  if (target?.owner !== service.id || target.deleted_at !== null) {
    throw deploymentId === undefined
      ? new ProblemError(
          'conflict',
          'The deployment before this one is no longer kept. Name another, or push again.',
        )
      : invalid([
          { path: '/deployment_id', message: 'is no deployment of this service; it may be no longer kept' },
        ]);
  }
  return target;
}
