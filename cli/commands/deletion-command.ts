/** What commands that delete something, and wait until it is gone, have in common. */
import { Option } from 'clipanion';
import { deleteAndWait } from '../deletion.ts';
import type { Deletion } from '../kinds/kind.ts';
import { ClientCommand, durationFlag } from './command.ts';

export abstract class DeletionCommand extends ClientCommand {
  yes = Option.Boolean('--yes', false, { description: 'do not ask: for scripts' });
  noWait = Option.Boolean('--no-wait', false, { description: 'do not wait until it is gone' });
  timeout = Option.String('--timeout', '5m', { description: 'how long to wait at most (default: 5m)' });

  /** @param what as the last line names it: `project/shop` */
  protected async carryOut(what: string, deletion: Deletion, cascade: boolean): Promise<void> {
    const timeout = await durationFlag('--timeout', this.timeout);
    const options = { cascade, yes: this.yes, timeout: this.noWait ? undefined : timeout };
    const isGone = await deleteAndWait(this.context, deletion, options);
    this.print(`${what} ${isGone ? 'deleted' : 'is being deleted'}`);
  }
}
