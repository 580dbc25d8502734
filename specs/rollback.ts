/** Which deployments can serve again, and why the others cannot. Pure: what the API refuses and what it shows are one. */
import type { DeploymentSpec, DeploymentStatus } from './deployment.ts';
import { DeploymentReason } from './reasons.ts';
import type { Rollout } from './service.ts';

/** A deployment, as far as the question goes. */
export interface Candidate {
  id: string;
  spec: Pick<DeploymentSpec, 'number' | 'stopped'>;
  status: Pick<DeploymentStatus, 'phase' | 'reason' | 'image' | 'promoted_at' | 'conditions'>;
}

/** @returns one sentence with what to do instead; undefined for one that a rollback may name */
export function rollbackFault(
  { id, spec, status }: Candidate,
  { target, running }: Pick<Rollout, 'target' | 'running'>,
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
      if (status.image !== null) return undefined;
      if (status.conditions.some(({ reason }) => reason === DeploymentReason.ImageGone))
        return `The image of ${name.toLowerCase()} was removed from the engine by hand. Push again.`;
      return status.promoted_at === null
        ? `${name} was stopped before it was built. Push again.`
        : `The image of ${name.toLowerCase()} is no longer kept: release.keep says how many are. Push again.`;
  }
}
