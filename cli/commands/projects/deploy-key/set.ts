/** `svc projects deploy-key set` */
import { Option } from 'clipanion';
import { usageError } from '../../../errors.ts';
import { isTerminal } from '../../../output/colour.ts';
import { cleanLine } from '../../../output/text.ts';
import { readBytes, readSecretFile, secretText } from '../../../secret-input.ts';
import { ClientCommand } from '../../command.ts';

export class SetDeployKeyCommand extends ClientCommand {
  static override paths = [['projects', 'deploy-key', 'set']];
  static override usage = {
    category: 'Projects and services',
    description: 'Give a project an SSH key to clone its Git sources with',
    details: `
      Takes the role Operator there. The private key, in PEM or OpenSSH format and without a passphrase, is read from
      standard input or a file. The node keeps it sealed and never shows it again. Better: \`svc projects deploy-key
      generate\`, with which it never leaves the node.
    `,
    examples: [
      ['Take it from a file', 'svc projects deploy-key set shop --from-file deploy-key'],
      ['Take it from another program', 'pass show shop/deploy-key | svc projects deploy-key set shop'],
    ] as [string, string][],
  };

  fromFile = Option.String('--from-file', { description: 'read the key from this file' });
  project = Option.String({ name: 'project' });

  override async execute(): Promise<void> {
    const key = await this.key();
    const client = await this.connect();
    const { type, fingerprint } = await client.setDeployKey(this.project, { private_key: key });
    this.print(cleanLine(`deploy-key/${this.project} set: ${type} ${fingerprint}`));
  }

  private async key(): Promise<string> {
    const { stdin, cwd } = this.context;
    if (this.fromFile !== undefined) return readSecretFile(cwd, this.fromFile);
    if (isTerminal(stdin))
      throw usageError(
        'A key is not typed on a terminal.',
        'Give it with --from-file PATH, or on standard input.',
      );
    return secretText(await readBytes(stdin), 'Standard input', 'keep');
  }
}
