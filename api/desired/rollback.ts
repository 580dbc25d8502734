/** A rollback: an earlier deployment is wanted again, as it was, without a build. */
import type { Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { Store, Writer } from '../store/store.ts';
import { invalid } from '../validation.ts';

/**
 * Makes an earlier deployment the target, by default the one that was promoted before. Throws `invalid` when it is
 * not of this service, and `conflict` when it cannot serve again.
 */
export async function rollback(
  store: Store,
  serviceId: string,
  deploymentId: string | undefined,
  ifVersion: number | undefined,
): Promise<Row<'Service'>> {
  return store.write(async (writer) => {
    const target = await targetOf(writer, serviceId, deploymentId);
    await writer.updateSpec('Deployment', target.id, (spec) => ({ ...spec, stopped: false }));
    return writer.updateSpec(
      'Service',
      serviceId,
      (spec) => ({ ...spec, rollout: { ...spec.rollout, target: target.id, running: true } }),
      ifVersion,
    );
  });
}

async function targetOf(
  writer: Writer,
  serviceId: string,
  deploymentId: string | undefined,
): Promise<Row<'Deployment'>> {
  const service = await writer.get('Service', serviceId);
  const id = deploymentId ?? service?.status.previous ?? undefined;
  if (!service || id === undefined) {
    throw new ProblemError(
      'conflict',
      'There is no earlier deployment to roll back to. Name one, or push again.',
    );
  }
  const target = await writer.get('Deployment', id);
  if (target?.owner !== serviceId || target.deleted_at !== null) {
    throw deploymentId === undefined
      ? new ProblemError(
          'conflict',
          'The deployment before this one is no longer kept. Name another, or push again.',
        )
      : invalid([
          { path: '/deployment_id', message: 'is no deployment of this service; it may be no longer kept' },
        ]);
  }
  const fault = rollbackFault(target, service);
  if (fault !== undefined) throw new ProblemError('conflict', fault);
  return target;
}

/** Why this deployment cannot be the target of a rollback. */
function rollbackFault({ id, status, spec }: Row<'Deployment'>, service: Row<'Service'>): string | undefined {
  const { target, running } = service.spec.rollout;
  switch (status.phase) {
    case 'Failed':
      return `Deployment ${spec.number} failed (${status.reason}); a failed one cannot serve. Choose another, or push again.`;
    case 'Pending':
    case 'Building':
    case 'Starting':
      return `Deployment ${spec.number} is under way already.`;
    case 'Healthy':
      // While a newer one is under way, going back to the one that serves calls that off.
      return target === id && running && !spec.stopped
        ? `Deployment ${spec.number} is already serving.`
        : undefined;
    case 'Inactive':
    case 'Stopped':
      return status.image === null
        ? `Deployment ${spec.number} was stopped before it was built. Push again.`
        : undefined;
  }
}
