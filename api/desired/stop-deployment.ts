/** Cancels a deployment that is under way, or stops one that serves. */
import type { Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { Store } from '../store/store.ts';
import { livingService } from './living.ts';

/** Throws `conflict` when it has ended already, and when its service is being deleted, which stops it anyway. */
export function stopDeployment(store: Store, id: string, ifVersion?: number): Promise<Row<'Deployment'>> {
  return store.write(async (writer) => {
    const deployment = await writer.get('Deployment', id);
    if (!deployment) throw new ProblemError('not_found', 'There is no such deployment.');
    await livingService(writer, deployment.spec.service_id);
    const { phase } = deployment.status;
    if (phase === 'Failed' || phase === 'Stopped' || phase === 'Inactive') {
      throw new ProblemError('conflict', `This deployment is ${phase}: there is nothing to stop.`);
    }
    return writer.updateSpec('Deployment', id, (spec) => ({ ...spec, stopped: true }), ifVersion);
  });
}
