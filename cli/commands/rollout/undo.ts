/** `svc rollout undo`: what kubectl calls a rollback. */
import { RollbackCommand } from '../rollback.ts';

export class RolloutUndoCommand extends RollbackCommand {
  static override paths = [['rollout', 'undo']];
  static override usage = {
    ...RollbackCommand.usage,
    description: 'Serve an earlier deployment again (the same as `svc rollback`)',
    examples: [
      ['Go back to the deployment before', 'svc rollout undo shop/web'],
      ['Go back to a certain one', 'svc rollout undo shop/web --to 3'],
    ] as [string, string][],
  };
}
