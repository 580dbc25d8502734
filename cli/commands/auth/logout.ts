/** `svc auth logout` */
import { rm } from 'node:fs/promises';
import { Option } from 'clipanion';
import type { Client } from '../../client.ts';
import { CliError, usageError } from '../../errors.ts';
import { cleanLine } from '../../output/text.ts';
import { ClientCommand } from '../command.ts';

export class LogoutCommand extends ClientCommand {
  static override paths = [['auth', 'logout']];
  static override usage = {
    category: 'Access',
    description: 'Revoke the saved token and forget the login',
    details: `
      The node refuses the token from then on, and the file that held it is removed. When the node is out of reach, both
      stay; with \`--force\` the file goes all the same, and the token stays valid until it is revoked by its owner.
    `,
    examples: [
      ['Log out', 'svc auth logout'],
      ['Forget a node that is gone', 'svc auth logout --profile old --force'],
    ] as [string, string][],
  };

  force = Option.Boolean('--force', false, {
    description: 'remove the file although the token could not be revoked',
  });

  override async execute(): Promise<void> {
    const { url, path } = await this.context.login(this.profile);
    if (path === null)
      throw usageError(
        'This login is from SVC_URL and SVC_TOKEN: no file holds it.',
        'Unset both, and revoke the token with: svc tokens revoke NAME',
      );
    const outcome = await this.revoke(await this.connect());
    await rm(path, { force: true });
    this.print(`Logged out of ${url}. Removed ${path}.`);
    this.note(outcome);
  }

  /** @returns what became of the token: a sentence. Throws CliError where that is not known, unless forced. */
  private async revoke(client: Client): Promise<string> {
    try {
      const { token } = await client.me();
      if (token === null)
        return 'The bootstrap token cannot be revoked: it holds until the node key is rotated.';
      await client.revokeToken(token.id);
      return `The token "${cleanLine(token.name)}" is revoked.`;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      if (error.code === 'unauthenticated') return 'The token was no longer valid.';
      if (this.force)
        return `svc: the token is still valid (${error.message}): its owner revokes it with svc tokens revoke.`;
      throw new CliError(error.exitCode, `The token could not be revoked: ${error.message}`, {
        code: error.code,
        next: 'Try again, or give --force to remove the file and leave the token valid.',
        cause: error,
      });
    }
  }
}
