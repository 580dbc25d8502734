/** `svc runs logs` */
import { Option } from 'clipanion';
import { ExitCode } from '../../errors.ts';
import { exitCodeOf, followRun } from '../../follow-run.ts';
import { runIdOf } from '../../job-target.ts';
import { textLines } from '../../output/lines.ts';
import { cleanText } from '../../output/text.ts';
import { ClientCommand } from '../command.ts';

export class RunLogsCommand extends ClientCommand {
  static override paths = [['runs', 'logs']];
  static override usage = {
    category: 'Jobs',
    description: 'Print what a run printed',
    details: 'With `-f` it goes on until the run is over, and ends with its exit code.',
    examples: [['Print it', 'svc runs logs run_01jd…']] as [string, string][],
  };

  follow = Option.Boolean('-f,--follow', false, { description: 'go on with what comes' });
  run = Option.String({ name: 'run' });

  override async execute(): Promise<number> {
    const client = await this.connect();
    const signal = this.context.interrupted();
    const id = runIdOf(this.run);
    try {
      if (this.follow) return exitCodeOf(await followRun(this.context, client, id));
      for await (const line of textLines(await client.runLog(id, signal))) this.print(cleanText(line));
      return ExitCode.done;
    } catch (error) {
      if (!signal.aborted) throw error;
      return ExitCode.interrupted;
    }
  }
}
