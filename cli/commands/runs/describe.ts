/** `svc runs describe` */
import { Option } from 'clipanion';
import { runIdOf } from '../../job-target.ts';
import { runKind } from '../../kinds/run.ts';
import { ClientCommand } from '../command.ts';

export class DescribeRunCommand extends ClientCommand {
  static override paths = [['runs', 'describe']];
  static override usage = {
    category: 'Jobs',
    description: 'Show all about one run, for people',
    details: 'The same as `svc describe run`.',
    examples: [['Describe it', 'svc runs describe run_01jd…']] as [string, string][],
  };

  run = Option.String({ name: 'run' });

  override async execute(): Promise<void> {
    const client = await this.connect();
    const run = await client.run(runIdOf(this.run));
    for (const { title, lines } of await runKind.describe(client, run, this.context.clock.now())) {
      if (title !== undefined) this.print(`${title}:`);
      for (const line of lines) this.print(title === undefined ? line : `  ${line}`);
    }
  }
}
