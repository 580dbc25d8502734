/** Cancels a deployment that is under way, or stops one that serves. */
import type { Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { Store } from '../store/store.ts';

/** Throws `conflict` when it has ended already. */
export function stopDeployment(store: Store, id: string, ifVersion?: number): Promise<Row<'Deployment'>> {
  return store.write(async (writer) => {
    const phase = (await writer.get('Deployment', id))?.status.phase;
    if (phase === 'Failed' || phase === 'Stopped' || phase === 'Inactive') {
      throw new ProblemError('conflict', `This deployment is ${phase}: there is nothing to stop.`);
    }
    return writer.updateSpec('Deployment', id, (spec) => ({ ...spec, stopped: true }), ifVersion);
  });
}
