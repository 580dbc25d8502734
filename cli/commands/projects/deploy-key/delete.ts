/** `svc projects deploy-key delete` */
import { Option } from 'clipanion';
import { ClientCommand } from '../../command.ts';

export class DeleteDeployKeyCommand extends ClientCommand {
  static override paths = [['projects', 'deploy-key', 'delete']];
  static override usage = {
    category: 'Projects and services',
    description: 'Delete the deploy key of a project',
    details:
      'Takes the role Operator there. Private Git sources cannot be cloned from then on. Take it off the Git host too.',
    examples: [['Delete it', 'svc projects deploy-key delete shop']] as [string, string][],
  };

  project = Option.String({ name: 'project' });

  override async execute(): Promise<void> {
    const client = await this.connect();
    await client.deleteDeployKey(this.project);
    this.print(`deploy-key/${this.project} deleted`);
    this.note('Take its public half off the Git host too.');
  }
}
