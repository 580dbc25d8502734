/** `svc tokens list` */
import type { ApiToken } from '../../../specs/account.ts';
import type { Client } from '../../client.ts';
import { tokenListing } from '../../kinds/token.ts';
import { ListCommand } from '../list-command.ts';

export class ListTokensCommand extends ListCommand<ApiToken> {
  static override paths = [['tokens', 'list']];
  static override usage = {
    category: 'Access',
    description: 'List your API tokens',
    details: 'The tokens themselves are not shown: the node keeps their hashes only.',
    examples: [['List them', 'svc tokens list']] as [string, string][],
  };

  protected readonly listing = tokenListing;

  protected list(client: Client): Promise<ApiToken[]> {
    return client.tokens();
  }
}
