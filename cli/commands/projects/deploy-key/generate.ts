/** `svc projects deploy-key generate` */
import { Option } from 'clipanion';
import { cleanLine } from '../../../output/text.ts';
import { ClientCommand } from '../../command.ts';

export class GenerateDeployKeyCommand extends ClientCommand {
  static override paths = [['projects', 'deploy-key', 'generate']];
  static override usage = {
    category: 'Projects and services',
    description: 'Make an SSH key on the node to clone the Git sources of a project with',
    details: `
      Takes the role Operator there. The private half is made on the node, sealed, and never leaves it. Prints the public
      half on standard output: give it to the Git host, as a deploy key of the repository that may only read.
    `,
    examples: [
      ['Make one', 'svc projects deploy-key generate shop'],
      ['Make one and keep the public half', 'svc projects deploy-key generate shop > shop.pub'],
    ] as [string, string][],
  };

  project = Option.String({ name: 'project' });

  override async execute(): Promise<void> {
    const client = await this.connect();
    const key = await client.generateDeployKey(this.project);
    this.print(cleanLine(key.public_key));
    this.note(`Fingerprint: ${cleanLine(key.fingerprint)}`);
    this.note('Give the public key to the Git host, as a deploy key of the repository that may only read:');
    this.note('  GitHub    Settings › Deploy keys › Add deploy key');
    this.note('  GitLab    Settings › Repository › Deploy keys');
    this.note('  Gitea     Settings › Deploy Keys › Add Deploy Key');
  }
}
