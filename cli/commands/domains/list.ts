/** `svc domains list` */
import { Option } from 'clipanion';
import type { DomainResource } from '../../../specs/resources.ts';
import type { Client } from '../../client.ts';
import { domainListing } from '../../kinds/domain.ts';
import { resolveService } from '../../target.ts';
import { ListCommand } from '../list-command.ts';

export class ListDomainsCommand extends ListCommand<DomainResource> {
  static override paths = [['domains', 'list']];
  static override usage = {
    category: 'Services',
    description: 'List the domains of a service',
    details:
      'With what was wrong when one was last looked at. `svc get domains` lists those of all services.',
    examples: [['List them', 'svc domains list -s shop/web']] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'its project' });
  service = Option.String('-s,--service', {
    description: 'the service: NAME with -p, or PROJECT/NAME (default: that of .svc)',
  });
  protected readonly listing = domainListing;

  protected async list(client: Client): Promise<DomainResource[]> {
    const { service: argument, project, context } = this;
    return client.domains((await resolveService(client, { argument, project, cwd: context.cwd })).id);
  }
}
