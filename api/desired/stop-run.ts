/** Asks a run to stop: what runs gets SIGTERM, and SIGKILL after its grace. */
import type { Row } from '../../specs/index.ts';
import { isOver } from '../../specs/job.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { Store } from '../store/store.ts';

/** Throws `conflict` when it is over. */
export function stopRun(store: Store, id: string, ifVersion?: number): Promise<Row<'Run'>> {
  return store.write(async (writer) => {
    const run = await writer.get('Run', id);
    if (!run) throw new ProblemError('not_found', 'There is no such run.');
    if (isOver(run.status.phase))
      throw new ProblemError('conflict', `This run is ${run.status.phase}: there is nothing to stop.`);
    return writer.updateSpec('Run', id, (spec) => ({ ...spec, stopped: true }), ifVersion);
  });
}
