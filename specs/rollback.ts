/** Which deployments can serve again, and why the others cannot. Pure: what the API refuses and what it shows are one. */
import type { DeploymentSpec, DeploymentStatus } from './deployment.ts';
import type { Row } from './index.ts';
import { DeploymentReason, VolumeReason } from './reasons.ts';
import type { Rollout } from './service.ts';

/** A deployment, as far as the question goes. */
export interface Candidate {
  id: string;
  spec: Pick<DeploymentSpec, 'number' | 'stopped' | 'workload'>;
  status: Pick<DeploymentStatus, 'phase' | 'reason' | 'image' | 'promoted_at' | 'conditions'>;
}

/** What is there of what deployments of a service mount. */
export interface Mountable {
  /** Living volumes of the service. */
  volumes: readonly Pick<Row<'Volume'>, 'name' | 'spec' | 'status'>[];
  /** Names of the host paths that its project may mount now. */
  hostPaths: readonly string[];
}

/** @returns one sentence with what to do instead; undefined for one that a rollback may name */
export function rollbackFault(
  { id, spec, status }: Candidate,
  { target, running }: Pick<Rollout, 'target' | 'running'>,
  mountable: Mountable,
): string | undefined {
  const name = `Deployment ${spec.number}`;
  switch (status.phase) {
    case 'Failed':
      return `${name} failed (${status.reason}); a failed one cannot serve. Choose another, or push again.`;
    case 'Pending':
    case 'Building':
    case 'Starting':
      return `${name} is under way already.`;
    case 'Healthy':
      // While a newer one is under way, going back to the one that serves calls that off.
      return target === id && running && !spec.stopped ? `${name} is already serving.` : undefined;
    case 'Inactive':
    case 'Stopped':
      if (status.image !== null) return mountFault({ spec, status }, mountable);
      if (status.conditions.some(({ reason }) => reason === DeploymentReason.ImageGone))
        return `The image of ${name.toLowerCase()} was removed from the engine by hand. Push again.`;
      return status.promoted_at === null
        ? `${name} was stopped before it served, and its image is not kept. Push again.`
        : `The image of ${name.toLowerCase()} is no longer kept: release.keep says how many are. Push again.`;
  }
}

/** Data that is gone does not come back with a deployment: to start without it is for somebody to decide who pushes. */
function mountFault(
  { spec, status }: Pick<Candidate, 'spec' | 'status'>,
  { volumes, hostPaths }: Mountable,
): string | undefined {
  for (const mount of spec.workload.volumes ?? []) {
    if ('host' in mount) {
      if (!hostPaths.includes(mount.host))
        return `Deployment ${spec.number} mounts the host path ${mount.host}, which the project may not mount any more. Ask who runs the node for it (SERVICE_HOST_PATHS), or push again without it.`;
      continue;
    }
    const volume = volumes.find((found) => found.spec.volume === mount.name);
    // One that never served may never have had its volume made.
    if (!volume && status.promoted_at !== null)
      return `The volume ${mount.name} of deployment ${spec.number} was destroyed, with all that was in it. Push again: that begins with an empty one.`;
    if (volume?.status.conditions.some(({ reason }) => reason === VolumeReason.Lost))
      return `The engine has lost the volume ${volume.name} of deployment ${spec.number}. Restore it there under its name, or destroy it and push again.`;
  }
  return undefined;
}
