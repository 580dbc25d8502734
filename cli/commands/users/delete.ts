/** `svc users delete` */
import { Option } from 'clipanion';
import { ClientCommand } from '../command.ts';

export class DeleteUserCommand extends ClientCommand {
  static override paths = [['users', 'delete']];
  static override usage = {
    category: 'Access',
    description: 'Delete a user',
    details: `
      Only a super-admin may. The user's tokens and sessions end at once, and so does every stream that is open with one
      of them. Services that the user deployed stay.
    `,
    examples: [['Delete a user', 'svc users delete grace']] as [string, string][],
  };

  name = Option.String({ name: 'name' });

  override async execute(): Promise<void> {
    const client = await this.connect();
    await client.deleteUser(this.name);
    this.print(`user/${this.name} deleted`);
  }
}
