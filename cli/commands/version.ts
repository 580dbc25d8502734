/** `svc version` */
import { SvcCommand } from './command.ts';

export class VersionCommand extends SvcCommand {
  static override paths = [['version']];
  static override usage = {
    category: 'Node',
    description: 'Print the version of this program',
    details: 'Asks no node; the version of the node is in `svc node status`.',
    examples: [['Print the version', 'svc version']] as [string, string][],
  };

  override execute(): Promise<void> {
    this.print(`svc ${this.context.version}`);
    return Promise.resolve();
  }
}
