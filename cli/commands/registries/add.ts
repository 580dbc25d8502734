/** `svc registries add` */
import { Option } from 'clipanion';
import { readPassword } from '../../secret-input.ts';
import { resolveProject } from '../../target.ts';
import { ClientCommand } from '../command.ts';

export class AddRegistryCommand extends ClientCommand {
  static override paths = [['registries', 'add']];
  static override usage = {
    category: 'Projects and services',
    description: 'Let a project pull images from a private registry',
    details: `
      Takes the role Operator there. Asks for the password, or for the access token that stands in its place. The node
      keeps it sealed and never shows it again.
    `,
    examples: [
      ['Add one', 'svc registries add ghcr.io --username ada -p shop'],
      [
        'Add one from a script',
        'svc registries add registry.example.com:5000 --username ci --password-stdin -p shop < password-file',
      ],
    ] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'the project (default: that of .svc)' });
  username = Option.String('--username', { description: 'as whom images are pulled', required: true });
  passwordStdin = Option.Boolean('--password-stdin', false, {
    description: 'read the password from standard input',
  });
  server = Option.String({ name: 'server' });

  override async execute(): Promise<void> {
    const { username } = this;
    const project = await resolveProject(this.project, this.context.cwd);
    const client = await this.connect();
    const password = await readPassword(this.context, {
      question: `Password of ${username} at ${this.server}`,
      fromStdin: this.passwordStdin,
      twice: false,
    });
    const { server } = await client.addRegistry(project, { server: this.server, username, password });
    this.print(`registry/${server} added to ${project}`);
  }
}
