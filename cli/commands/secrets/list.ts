/** `svc secrets list` */
import { Option } from 'clipanion';
import type { SecretResource } from '../../../specs/resources.ts';
import type { Client } from '../../client.ts';
import { secretListing } from '../../kinds/secret.ts';
import { resolveService } from '../../target.ts';
import { ListCommand } from '../list-command.ts';

export class ListSecretsCommand extends ListCommand<SecretResource> {
  static override paths = [['secrets', 'list']];
  static override usage = {
    category: 'Services',
    description: 'List the secret variables of a service',
    details: 'Names, and how often each was changed. Nobody reads a value back.',
    examples: [['List them', 'svc secrets list shop/web']] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'its project' });
  service = Option.String({ name: 'service', required: false });
  protected readonly listing = secretListing;

  protected async list(client: Client): Promise<SecretResource[]> {
    const { project, service: argument, context } = this;
    return client.secrets((await resolveService(client, { argument, project, cwd: context.cwd })).id);
  }
}
