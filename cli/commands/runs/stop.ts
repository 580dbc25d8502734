/** `svc runs stop` */
import { Option } from 'clipanion';
import { runIdOf } from '../../job-target.ts';
import { ClientCommand } from '../command.ts';

export class StopRunCommand extends ClientCommand {
  static override paths = [['runs', 'stop']];
  static override usage = {
    category: 'Jobs',
    description: 'Stop a run',
    details: 'Its command gets SIGTERM, and SIGKILL ten seconds later. It is not tried again.',
    examples: [['Stop it', 'svc runs stop run_01jd…']] as [string, string][],
  };

  run = Option.String({ name: 'run' });

  override async execute(): Promise<void> {
    const client = await this.connect();
    const { id } = await client.stopRun(runIdOf(this.run));
    this.print(`run/${id} is being stopped`);
  }
}
