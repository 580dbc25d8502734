/** What controllers would write about a deployment, where none runs. */
import type { DeploymentPhase, DeploymentStatus } from '../../specs/deployment.ts';
import type { DeploymentResource } from '../../specs/resources.ts';
import type { TestApi } from './api.ts';

/** A deployment reaches a phase. */
export async function reach(
  api: TestApi,
  { id }: { id: string },
  phase: DeploymentPhase,
  more: Partial<DeploymentStatus> = {},
): Promise<void> {
  const row = await api.store.get('Deployment', id);
  const built = phase !== 'Pending' && phase !== 'Building';
  const image = built ? { image: 'sha256:1' } : {};
  await api.store.patchStatus('Deployment', id, row?.generation ?? 0, { phase, ...image, ...more });
}

/** A deployment is Healthy, and routing points at it. */
export async function promote(
  api: TestApi,
  deployment: DeploymentResource,
  previous: string | null = null,
): Promise<void> {
  await reach(api, deployment, 'Healthy');
  const service = await api.store.get('Service', deployment.service_id);
  await api.store.patchStatus('Service', deployment.service_id, service?.generation ?? 0, {
    promoted: deployment.id,
    previous,
  });
}
