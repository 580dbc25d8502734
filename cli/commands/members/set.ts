/** `svc members set` */
import { Option } from 'clipanion';
import { roleNamed } from '../../role.ts';
import { resolveProject } from '../../target.ts';
import { ClientCommand } from '../command.ts';

export class SetMemberCommand extends ClientCommand {
  static override paths = [['members', 'set']];
  static override usage = {
    category: 'Access',
    description: 'Give a user a role in a project',
    details: `
      Takes the role Admin there. A Viewer reads, without values of the environment; an Operator also deploys and changes
      services; an Admin also says who may do what. It holds at once, for every token that the user has.
    `,
    examples: [
      ['Let a user deploy', 'svc members set grace Operator -p shop'],
      ['Let one look only', 'svc members set grace Viewer -p shop'],
    ] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'the project (default: that of .svc)' });
  user = Option.String({ name: 'user' });
  role = Option.String({ name: 'role' });

  override async execute(): Promise<void> {
    const role = roleNamed(this.role);
    const project = await resolveProject(this.project, this.context.cwd);
    const client = await this.connect();
    const member = await client.setMember(project, this.user, role);
    this.print(`member/${member.username} is ${member.role} in ${member.project}`);
  }
}
