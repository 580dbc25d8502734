/** `svc members list` */
import { Option } from 'clipanion';
import type { Member } from '../../../specs/account.ts';
import type { Client } from '../../client.ts';
import { memberListing } from '../../kinds/member.ts';
import { resolveProject } from '../../target.ts';
import { ListCommand } from '../list-command.ts';

export class ListMembersCommand extends ListCommand<Member> {
  static override paths = [['members', 'list']];
  static override usage = {
    category: 'Access',
    description: 'List who may do what in a project',
    details: 'Takes the role Admin there. Super-admins may do everything and are not listed.',
    examples: [['List them', 'svc members list -p shop']] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'the project (default: that of .svc)' });
  protected readonly listing = memberListing;

  protected async list(client: Client): Promise<Member[]> {
    return client.members(await resolveProject(this.project, this.context.cwd));
  }
}
