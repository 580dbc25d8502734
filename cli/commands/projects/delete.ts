/** `svc projects delete` */
import { Option } from 'clipanion';
import { projectDeletion } from '../../kinds/project.ts';
import { DeletionCommand } from '../deletion-command.ts';

export class DeleteProjectCommand extends DeletionCommand {
  static override paths = [['projects', 'delete']];
  static override usage = {
    category: 'Projects and services',
    description: 'Delete a project',
    details: `
      Only a super-admin may. On a terminal it asks for the name of the project first. It is refused while the project
      has services or jobs, unless \`--cascade\` deletes them too. Waits until everything is gone.
    `,
    examples: [
      ['Delete an empty project', 'svc projects delete shop'],
      ['Delete one with all that it has, from a script', 'svc projects delete shop --cascade --yes'],
    ] as [string, string][],
  };

  cascade = Option.Boolean('--cascade', false, { description: 'delete its services and jobs too' });
  name = Option.String({ name: 'name' });

  override async execute(): Promise<void> {
    const client = await this.connect();
    const project = await client.project(this.name);
    await this.carryOut(`project/${project.name}`, projectDeletion(client, project), this.cascade);
  }
}
