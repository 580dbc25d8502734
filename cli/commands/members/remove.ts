/** `svc members remove` */
import { Option } from 'clipanion';
import { resolveProject } from '../../target.ts';
import { ClientCommand } from '../command.ts';

export class RemoveMemberCommand extends ClientCommand {
  static override paths = [['members', 'remove']];
  static override usage = {
    category: 'Access',
    description: 'Take a user out of a project',
    details: `
      Takes the role Admin there. It holds at once, for every token and open stream of the user. The last Admin of a
      project stays.
    `,
    examples: [['Take a user out', 'svc members remove grace -p shop']] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'the project (default: that of .svc)' });
  user = Option.String({ name: 'user' });

  override async execute(): Promise<void> {
    const project = await resolveProject(this.project, this.context.cwd);
    const client = await this.connect();
    await client.removeMember(project, this.user);
    this.print(`member/${this.user} removed from ${project}`);
  }
}
