/** Writes down what a deployment's source was found to be, while its build goes on: tried again, it is the same. */
import type { Store } from '../../api/store/store.ts';
import type { DeploymentStatus } from '../../specs/deployment.ts';

/** Does nothing when the deployment is gone. */
export function recordSource(
  store: Pick<Store, 'write'>,
  id: string,
  found: Partial<Pick<DeploymentStatus, 'commit' | 'digest'>>,
): Promise<void> {
  return store.write(async (writer) => {
    const row = await writer.get('Deployment', id);
    // What is observed of it stays as it is: only a pass knows whether the rest of it was seen to.
    if (row) await writer.patchStatus('Deployment', id, row.observed_generation, found);
  });
}
