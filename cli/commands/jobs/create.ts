/** `svc jobs create` */
import { Option } from 'clipanion';
import type { CreateJob } from '../../../specs/job-requests.ts';
import type { Client } from '../../client.ts';
import { usageError } from '../../errors.ts';
import { jobNames } from '../../job-target.ts';
import { findService } from '../../target.ts';
import { ClientCommand } from '../command.ts';
import { fieldsOf } from './flags.ts';

export class CreateJobCommand extends ClientCommand {
  static override paths = [['jobs', 'create']];
  static override usage = {
    category: 'Jobs',
    description: 'Create a job: a command that runs to its end',
    details: `
      It runs in an image (\`--image\`), or in what a service runs at that moment, with the service's environment and
      secrets (\`--service\`). The command stands after \`--\`; it is not given to a shell.

      With \`--schedule\` it runs by itself: five fields of cron (minute hour day month weekday) in a time zone. Without, when
      \`svc jobs run\` says so. Where clocks change, a time that is left out is kept right after the gap, and one that comes
      twice is kept once. Of times that passed while the node was down the last one is made up for, unless it is older than
      \`--starting-deadline\`; the others are skipped.

      With \`--release\` every deployment that brings an image of its own runs it once, before its health gate, and fails when
      it does: for migrations. A changed configuration, a restart and a rollback run the image of before, and not the job.
    `,
    examples: [
      [
        'Clean up every night at three',
        "svc jobs create cleanup -p shop --service web --schedule '0 3 * * *' --timezone Europe/Berlin -- ./manage.py clearsessions",
      ],
      [
        'Migrate the database before every release',
        'svc jobs create migrate -p shop --service web --release -- ./manage.py migrate',
      ],
      ['A command in an image, on demand', 'svc jobs create hello -p shop --image busybox -- echo hello'],
    ] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'the project it belongs to' });
  image = Option.String('--image', { description: 'the image it runs in' });
  service = Option.String('--service', { description: 'the service in whose image it runs' });
  schedule = Option.String('--schedule', { description: 'when, as cron writes it' });
  timezone = Option.String('--timezone', { description: 'of the schedule (default: UTC)' });
  concurrency = Option.String('--concurrency', {
    description: 'when one is due while another runs: forbid (default), replace or allow',
  });
  deadline = Option.String('--deadline', { description: 'after which a run is stopped (default: 1h)' });
  startingDeadline = Option.String('--starting-deadline', {
    description: 'how late a missed time is made up for (default: 10m)',
  });
  retries = Option.String('--retries', {
    description: 'how often a run that fails is tried again (default: 0)',
  });
  keepSucceeded = Option.String('--keep-succeeded', {
    description: 'how many runs that succeeded are kept, with their logs (default: 5)',
  });
  keepFailed = Option.String('--keep-failed', {
    description: 'how many of the others are kept (default: 5)',
  });
  memory = Option.String('--memory', { description: 'such as 512Mi' });
  cpus = Option.String('--cpus', { description: 'such as 0.5' });
  env = Option.Array('--env', { description: 'KEY=VALUE of its environment; may be given again' });
  release = Option.Boolean('--release', false, { description: 'run it before every release of the service' });
  name = Option.String({ name: 'name' });
  command = Option.Rest({ name: 'command' });

  override async execute(): Promise<void> {
    const { project, name } = await jobNames({
      argument: this.name,
      project: this.project,
      cwd: this.context.cwd,
    });
    const fields = { ...fieldsOf(this), ...(this.release && { release: true }) };
    if ((this.image === undefined) === (this.service === undefined))
      throw usageError('Where does it run?', 'Give one of --image REFERENCE and --service NAME.');
    const client = await this.connect();
    const job = await client.createJob(await this.body(client, { project, name, ...fields }));
    this.print(`job/${job.project}/${job.name} created`);
    if (job.release)
      this.note(
        'From now on it runs once in the new image of every push, before that is asked whether it is healthy.',
      );
    else if (job.schedule === null)
      this.note(`Run it with: svc jobs run ${job.project}/${job.name} --follow`);
    else this.note(`When it runs next: svc jobs list -p ${job.project}`);
  }

  private async body(
    client: Client,
    fields: { project: string; name: string; command?: string[] } & object,
  ): Promise<CreateJob> {
    if (this.image !== undefined) return { ...fields, image: this.image };
    const { command } = fields;
    if (command === undefined)
      throw usageError('Which command?', 'Write it after --, such as: … -- ./manage.py migrate');
    const service = await findService(client, this.service ?? '', fields.project);
    return { ...fields, command, service_id: service.id };
  }
}
