/** `svc jobs runs` */
import { Option } from 'clipanion';
import type { RunResource } from '../../../specs/job-resources.ts';
import type { Client } from '../../client.ts';
import { resolveJob } from '../../job-target.ts';
import { runKind } from '../../kinds/run.ts';
import { ListCommand } from '../list-command.ts';

export class ListRunsOfJobCommand extends ListCommand<RunResource> {
  static override paths = [['jobs', 'runs']];
  static override usage = {
    category: 'Jobs',
    description: 'List the runs of a job, newest first',
    details:
      'How each ended. `svc runs logs` prints what one printed; `svc runs list` lists those of all jobs.',
    examples: [['List them', 'svc jobs runs shop/cleanup']] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'its project' });
  job = Option.String({ name: 'job' });
  protected readonly listing = runKind;

  protected async list(client: Client): Promise<RunResource[]> {
    const { job: argument, project, context } = this;
    return client.runs((await resolveJob(client, { argument, project, cwd: context.cwd })).id);
  }
}
