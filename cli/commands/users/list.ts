/** `svc users list` */
import type { User } from '../../../specs/account.ts';
import type { Client } from '../../client.ts';
import { userListing } from '../../kinds/user.ts';
import { ListCommand } from '../list-command.ts';

export class ListUsersCommand extends ListCommand<User> {
  static override paths = [['users', 'list']];
  static override usage = {
    category: 'Access',
    description: 'List the users of the node',
    details: 'Only a super-admin may.',
    examples: [['List them', 'svc users list']] as [string, string][],
  };

  protected readonly listing = userListing;

  protected list(client: Client): Promise<User[]> {
    return client.users();
  }
}
