/** `svc users update` */
import { Option } from 'clipanion';
import { usageError } from '../../errors.ts';
import { ClientCommand } from '../command.ts';

export class UpdateUserCommand extends ClientCommand {
  static override paths = [['users', 'update']];
  static override usage = {
    category: 'Access',
    description: 'Make a user a super-admin, or no longer',
    details: 'Only a super-admin may. It holds at once, for every token that the user has.',
    examples: [
      ['Make a user a super-admin', 'svc users update grace --super-admin'],
      ['Take that away again', 'svc users update grace --no-super-admin'],
    ] as [string, string][],
  };

  superAdmin = Option.Boolean('--super-admin', {
    description: 'may do everything, in every project; --no-super-admin takes it away',
  });
  name = Option.String({ name: 'name' });

  override async execute(): Promise<void> {
    if (this.superAdmin === undefined)
      throw usageError('What is to change?', 'Give --super-admin or --no-super-admin.');
    const client = await this.connect();
    const user = await client.updateUser(this.name, { super_admin: this.superAdmin });
    this.print(`user/${user.username} is ${user.super_admin ? 'a super-admin' : 'no super-admin'}`);
  }
}
