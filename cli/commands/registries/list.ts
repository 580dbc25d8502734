/** `svc registries list` */
import { Option } from 'clipanion';
import type { RegistryResource } from '../../../specs/resources.ts';
import type { Client } from '../../client.ts';
import { registryListing } from '../../kinds/image-registry.ts';
import { resolveProject } from '../../target.ts';
import { ListCommand } from '../list-command.ts';

export class ListRegistriesCommand extends ListCommand<RegistryResource> {
  static override paths = [['registries', 'list']];
  static override usage = {
    category: 'Projects and services',
    description: 'List the image registries of a project',
    details: 'Takes the role Operator there. Passwords are never shown.',
    examples: [['List them', 'svc registries list -p shop']] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'the project (default: that of .svc)' });
  protected readonly listing = registryListing;

  protected async list(client: Client): Promise<RegistryResource[]> {
    return client.registries(await resolveProject(this.project, this.context.cwd));
  }
}
