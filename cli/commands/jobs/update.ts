/** `svc jobs update` */
import { Option } from 'clipanion';
import type { UpdateJob } from '../../../specs/job-requests.ts';
import { usageError } from '../../errors.ts';
import { resolveJob } from '../../job-target.ts';
import { ClientCommand } from '../command.ts';
import { fieldsOf } from './flags.ts';

export class UpdateJobCommand extends ClientCommand {
  static override paths = [['jobs', 'update']];
  static override usage = {
    category: 'Jobs',
    description: 'Change a job',
    details:
      'What no flag names stays. Runs that were asked for before keep what they are. `--` begins a new command.',
    examples: [
      ['Run it every hour from now on', "svc jobs update shop/cleanup --schedule '0 * * * *'"],
      ['Let its schedule rest', 'svc jobs update shop/cleanup --suspend'],
    ] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'its project' });
  image = Option.String('--image', { description: 'the image it runs in' });
  schedule = Option.String('--schedule', { description: 'when, as cron writes it' });
  onDemand = Option.Boolean('--on-demand', false, { description: 'without a schedule' });
  timezone = Option.String('--timezone', { description: 'of the schedule' });
  concurrency = Option.String('--concurrency', { description: 'forbid, replace or allow' });
  deadline = Option.String('--deadline', { description: 'after which a run is stopped' });
  startingDeadline = Option.String('--starting-deadline', {
    description: 'how late a missed time is made up for',
  });
  retries = Option.String('--retries', { description: 'how often a run that fails is tried again' });
  keepSucceeded = Option.String('--keep-succeeded', {
    description: 'how many runs that succeeded are kept, with their logs',
  });
  keepFailed = Option.String('--keep-failed', {
    description: 'how many of the others are kept',
  });
  memory = Option.String('--memory', { description: 'such as 512Mi' });
  cpus = Option.String('--cpus', { description: 'such as 0.5' });
  env = Option.Array('--env', { description: 'KEY=VALUE of its environment; may be given again' });
  unsetEnv = Option.Array('--unset-env', {
    description: 'name to take out of its environment; may be given again',
  });
  suspend = Option.Boolean('--suspend', false, { description: 'let its schedule rest' });
  resume = Option.Boolean('--resume', false, { description: 'go by its schedule again' });
  job = Option.String({ name: 'job' });
  command = Option.Rest({ name: 'command' });

  override async execute(): Promise<void> {
    const body = this.body();
    const client = await this.connect();
    const job = await resolveJob(client, {
      argument: this.job,
      project: this.project,
      cwd: this.context.cwd,
    });
    await client.updateJob(job.id, body);
    this.print(`job/${job.project}/${job.name} updated`);
  }

  private body(): UpdateJob {
    const { env, ...rest } = fieldsOf(this);
    if (this.onDemand && this.schedule !== undefined)
      throw usageError('--schedule and --on-demand exclude each other.');
    if (this.suspend && this.resume) throw usageError('--suspend and --resume exclude each other.');
    const variables = { ...env, ...Object.fromEntries((this.unsetEnv ?? []).map((name) => [name, null])) };
    const body = {
      ...rest,
      ...(this.image !== undefined && { image: this.image }),
      ...(this.onDemand && { schedule: null }),
      ...((this.suspend || this.resume) && { suspended: this.suspend }),
      ...(Object.keys(variables).length > 0 && { env: variables }),
    };
    if (Object.keys(body).length === 0) throw usageError('What is to change?', 'See: svc jobs update --help');
    return body;
  }
}
