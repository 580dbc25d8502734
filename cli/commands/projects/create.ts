/** `svc projects create` */
import { Option } from 'clipanion';
import { ClientCommand } from '../command.ts';

export class CreateProjectCommand extends ClientCommand {
  static override paths = [['projects', 'create']];
  static override usage = {
    category: 'Projects and services',
    description: 'Create a project',
    details: 'Only a super-admin may. A name is made of lower-case letters, digits and hyphens.',
    examples: [['Create a project', 'svc projects create shop']] as [string, string][],
  };

  name = Option.String({ name: 'name' });

  override async execute(): Promise<void> {
    const client = await this.connect();
    const { name } = await client.createProject({ name: this.name });
    this.print(`project/${name} created`);
  }
}
