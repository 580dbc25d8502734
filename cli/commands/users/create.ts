/** `svc users create` */
import { Option } from 'clipanion';
import { readPassword } from '../../secret-input.ts';
import { ClientCommand } from '../command.ts';

export class CreateUserCommand extends ClientCommand {
  static override paths = [['users', 'create']];
  static override usage = {
    category: 'Access',
    description: 'Create a user',
    details: `
      Only a super-admin may. Asks for the password, twice; it has at least 10 characters. The user can log in with
      \`svc auth\` then, and sees nothing before \`svc members set\` gives a role in a project.
    `,
    examples: [
      ['Create a user', 'svc users create grace'],
      ['Create another super-admin', 'svc users create ada --super-admin'],
      ['Create one from a script', 'svc users create ci --password-stdin < password-file'],
    ] as [string, string][],
  };

  superAdmin = Option.Boolean('--super-admin', false, {
    description: 'may do everything, in every project',
  });
  passwordStdin = Option.Boolean('--password-stdin', false, {
    description: 'read the password from standard input',
  });
  name = Option.String({ name: 'name' });

  override async execute(): Promise<void> {
    const client = await this.connect();
    const password = await readPassword(this.context, {
      question: `Password for ${this.name}`,
      fromStdin: this.passwordStdin,
      twice: true,
    });
    const { username } = await client.createUser({
      username: this.name,
      password,
      ...(this.superAdmin && { super_admin: true }),
    });
    this.print(`user/${username} created`);
    if (!this.superAdmin)
      this.note(`Give a role in a project with: svc members set ${username} Operator -p PROJECT`);
  }
}
