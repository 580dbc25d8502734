/** `svc rollout history` */
import { Option } from 'clipanion';
import type { DeploymentResource } from '../../../specs/resources.ts';
import type { Client } from '../../client.ts';
import { historyListing } from '../../kinds/deployment-history.ts';
import { resolveService } from '../../target.ts';
import { ListCommand } from '../list-command.ts';

export class RolloutHistoryCommand extends ListCommand<DeploymentResource> {
  static override paths = [['rollout', 'history']];
  static override usage = {
    category: 'Services',
    description: 'List the deployments of a service, and which of them can serve again',
    details: `
      Newest first: what each was made of, how it ended, and whether a rollback can go back to it; if not, why.
      See what two of them differ in with \`svc diff\`.
    `,
    examples: [['What was deployed before', 'svc rollout history web -p shop']] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'its project' });
  service = Option.String({ name: 'service', required: false });

  protected readonly listing = historyListing;

  protected async list(client: Client): Promise<DeploymentResource[]> {
    const { project, service: argument } = this;
    const { id } = await resolveService(client, { argument, project, cwd: this.context.cwd });
    return client.deployments(id);
  }
}
