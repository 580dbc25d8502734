/** `svc jobs run` */
import { Option } from 'clipanion';
import { ExitCode } from '../../errors.ts';
import { exitCodeOf, followRun } from '../../follow-run.ts';
import { resolveJob } from '../../job-target.ts';
import { cleanLine } from '../../output/text.ts';
import { ClientCommand } from '../command.ts';

export class RunJobCommand extends ClientCommand {
  static override paths = [['jobs', 'run']];
  static override usage = {
    category: 'Jobs',
    description: 'Run a job now',
    details: `
      With \`--follow\` it prints what the command prints, and ends with the command's own exit code; with 1 where it has none,
      such as one that could not be started. Ctrl-C leaves the run going.
    `,
    examples: [['Run it and see it through', 'svc jobs run shop/cleanup --follow']] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'its project' });
  follow = Option.Boolean('-f,--follow', false, { description: 'print what it prints, until it is over' });
  job = Option.String({ name: 'job' });

  override async execute(): Promise<number> {
    const { context } = this;
    const client = await this.connect();
    const job = await resolveJob(client, { argument: this.job, project: this.project, cwd: context.cwd });
    const { id } = await client.startRun(job.id);
    if (!this.follow) {
      this.print(`run/${id} started`);
      this.note(`Follow it with: svc runs logs ${id} -f`);
      return ExitCode.done;
    }
    const signal = context.interrupted();
    try {
      const run = await followRun(context, client, id);
      if (run.status !== 'Succeeded')
        this.note(`svc: ${run.status} (${run.reason}): ${cleanLine(run.message)}`);
      return exitCodeOf(run);
    } catch (error) {
      if (!signal.aborted) throw error;
      this.note(
        `\nDetached: the run goes on.\nFollow it with: svc runs logs ${id} -f\nStop it with: svc runs stop ${id}`,
      );
      return ExitCode.interrupted;
    }
  }
}
