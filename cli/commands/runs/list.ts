/** `svc runs list` */
import { Option } from 'clipanion';
import type { RunResource } from '../../../specs/job-resources.ts';
import type { Client } from '../../client.ts';
import { runKind } from '../../kinds/run.ts';
import { ListCommand } from '../list-command.ts';

export class ListRunsCommand extends ListCommand<RunResource> {
  static override paths = [['runs', 'list']];
  static override usage = {
    category: 'Jobs',
    description: 'List the runs of all jobs, newest first',
    details: "How many of each job are kept is the job's `keep`. `svc jobs runs` lists those of one job.",
    examples: [['List those of a project', 'svc runs list -p shop']] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'only of this project' });
  protected readonly listing = runKind;

  protected list(client: Client): Promise<RunResource[]> {
    return runKind.list(client, { project: this.project });
  }
}
