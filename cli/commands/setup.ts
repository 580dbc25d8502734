/** `svc setup` */
import { Option } from 'clipanion';
import { configDir } from '../config.ts';
import { quoted } from '../words.ts';
import { SvcCommand } from './command.ts';

export class SetupCommand extends SvcCommand {
  static override paths = [['setup']];
  static override usage = {
    category: 'Node',
    description: 'Make the key of a node and the token for its first account',
    details: `
      Run it once on the machine that becomes the node. It writes \`node.key\` into the data directory and
      \`bootstrap.token\` into the client configuration directory, both readable by you alone. What is there stays;
      \`--force\` writes a new token.

      Next: \`svc serve\`, and in another terminal \`svc auth --bootstrap\`.
    `,
    examples: [
      ['Set a node up', 'svc setup'],
      ['Set one up elsewhere, to try it out', 'svc setup --data-dir ~/svc-data'],
    ] as [string, string][],
  };

  dataDir = Option.String('--data-dir', { description: 'SERVICE_DATA_DIR: state, database, logs' });
  force = Option.Boolean('--force', false, {
    description: 'write a new bootstrap token although there is one',
  });

  override async execute(): Promise<void> {
    const [{ setup }, { defaultDataDir }] = await Promise.all([
      import('../daemon/setup.ts'),
      import('../daemon/directories.ts'),
    ]);
    const { env } = this.context;
    const isRoot = process.getuid?.() === 0;
    const made = await setup({
      dataDir: this.dataDir ?? (env['SERVICE_DATA_DIR'] || defaultDataDir(env, isRoot)),
      configDir: configDir(env),
      force: this.force,
    });
    this.print(`${made.keyMade ? 'Made' : 'Kept'} the node key ${made.keyPath}`);
    this.print(`${made.tokenMade ? 'Made' : 'Kept'} the bootstrap token ${made.tokenPath}`);
    const where = this.dataDir === undefined ? '' : ` --data-dir ${quoted([this.dataDir])}`;
    this.note(`Next: svc serve${where}, and in another terminal: svc auth --bootstrap`);
  }
}
