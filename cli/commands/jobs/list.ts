/** `svc jobs list` */
import { Option } from 'clipanion';
import type { JobResource } from '../../../specs/job-resources.ts';
import type { Client } from '../../client.ts';
import { jobKind } from '../../kinds/job.ts';
import { ListCommand } from '../list-command.ts';

export class ListJobsCommand extends ListCommand<JobResource> {
  static override paths = [['jobs', 'list']];
  static override usage = {
    category: 'Jobs',
    description: 'List jobs, with their schedules and next runs',
    details: 'Of every project that you may see, if `-p` names none. `svc describe job` tells more of one.',
    examples: [['List those of a project', 'svc jobs list -p shop']] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'only of this project' });
  protected readonly listing = jobKind;

  protected list(client: Client): Promise<JobResource[]> {
    return client.jobs({ project: this.project });
  }
}
