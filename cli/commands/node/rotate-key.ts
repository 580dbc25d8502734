/** `svc node rotate-key` */
import { Option } from 'clipanion';
import { confirm } from '../../confirmation.ts';
import { ClientCommand } from '../command.ts';

export class RotateKeyCommand extends ClientCommand {
  static override paths = [['node', 'rotate-key']];
  static override usage = {
    category: 'Node',
    description: 'Give the node a new key, and seal every secret anew under it',
    details: `
      Only a super-admin may. For when somebody may have read \`node.key\`. Secrets, registry passwords and deploy keys
      stay what they are, and nothing is restarted; whoever has the old key and the database could read them, so change
      those values too. Copies of the database from before open under the old key only.

      Bootstrap tokens are made with the node key: the one that \`svc setup\` wrote is no longer valid after this.
    `,
    examples: [
      ['Rotate it', 'svc node rotate-key'],
      ['Rotate it from a script', 'svc node rotate-key --yes'],
    ] as [string, string][],
  };

  yes = Option.Boolean('--yes', false, { description: 'do not ask: for scripts' });

  override async execute(): Promise<void> {
    const client = await this.connect();
    await confirm(this.context, {
      warning: `This gives the node at ${client.url} a new key. The old one opens nothing on it any more.`,
      expected: 'yes',
      yes: this.yes,
    });
    const { key_version: version, resealed, unreadable } = await client.rotateKey();
    this.print(`node key version ${version}: ${resealed} ${resealed === 1 ? 'value' : 'values'} sealed anew`);
    if (unreadable > 0)
      this.note(
        `svc: ${unreadable} could not be opened under the old key and stay as they are: set them again, with svc secrets set for one.`,
      );
    this.note(
      'Bootstrap tokens made before are no longer valid. Make one, where it is needed, on the node: svc setup --force',
    );
  }
}
