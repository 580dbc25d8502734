/** `svc projects known-hosts list` */
import { Option } from 'clipanion';
import type { KnownHostResource } from '../../../../specs/resources.ts';
import type { Client } from '../../../client.ts';
import { knownHostListing } from '../../../kinds/known-host.ts';
import { ListCommand } from '../../list-command.ts';

export class ListKnownHostsCommand extends ListCommand<KnownHostResource> {
  static override paths = [['projects', 'known-hosts', 'list']];
  static override usage = {
    category: 'Projects and services',
    description: 'List the Git hosts that a project knows, with the fingerprints of their keys',
    details: `
      Takes the role Operator there. The key that a host shows at the first clone over SSH is kept; a host that shows
      another one later is refused. Compare the fingerprint with the one that the host publishes.
    `,
    examples: [['List them', 'svc projects known-hosts list shop']] as [string, string][],
  };

  project = Option.String({ name: 'project' });
  protected readonly listing = knownHostListing;

  protected list(client: Client): Promise<KnownHostResource[]> {
    return client.knownHosts(this.project);
  }
}
