/** `svc jobs delete` */
import { Option } from 'clipanion';
import { resolveJob } from '../../job-target.ts';
import { jobKind } from '../../kinds/job.ts';
import { DeletionCommand } from '../deletion-command.ts';

export class DeleteJobCommand extends DeletionCommand {
  static override paths = [['jobs', 'delete']];
  static override usage = {
    category: 'Jobs',
    description: 'Delete a job with its runs and their logs',
    details: 'A run that is under way is stopped. On a terminal it asks for the name first.',
    examples: [['Delete it, from a script', 'svc jobs delete shop/cleanup --yes']] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'its project' });
  job = Option.String({ name: 'job' });

  override async execute(): Promise<void> {
    const client = await this.connect();
    const job = await resolveJob(client, {
      argument: this.job,
      project: this.project,
      cwd: this.context.cwd,
    });
    if (jobKind.deletion)
      await this.carryOut(`job/${job.project}/${job.name}`, jobKind.deletion(client, job), false);
  }
}
