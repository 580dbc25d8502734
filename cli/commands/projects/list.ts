/** `svc projects list` */
import type { ProjectResource } from '../../../specs/resources.ts';
import type { Client } from '../../client.ts';
import { projectKind } from '../../kinds/project.ts';
import { ListCommand } from '../list-command.ts';

export class ListProjectsCommand extends ListCommand<ProjectResource> {
  static override paths = [['projects', 'list']];
  static override usage = {
    category: 'Projects and services',
    description: 'List the projects that you are a member of',
    details: 'A super-admin sees all of them. The same as `svc get projects`.',
    examples: [['List them', 'svc projects list']] as [string, string][],
  };

  protected readonly listing = projectKind;

  protected list(client: Client): Promise<ProjectResource[]> {
    return client.projects();
  }
}
