/** `svc tokens revoke` */
import { Option } from 'clipanion';
import type { ApiToken } from '../../../specs/account.ts';
import { CliError, ExitCode, usageError } from '../../errors.ts';
import { cleanLine } from '../../output/text.ts';
import { ClientCommand } from '../command.ts';

export class RevokeTokenCommand extends ClientCommand {
  static override paths = [['tokens', 'revoke']];
  static override usage = {
    category: 'Access',
    description: 'Revoke API tokens of yours',
    details: `
      By id, or by a name that only one of them has. A revoked token is refused at once, and open streams end. To
      revoke the one that is saved on this machine and forget it, use \`svc auth logout\`.
    `,
    examples: [
      ['Revoke one by its name', 'svc tokens revoke ci'],
      ['Revoke two by their ids', 'svc tokens revoke tok_01jd… tok_01je…'],
    ] as [string, string][],
  };

  wanted = Option.Rest({ name: 'token', required: 1 });

  override async execute(): Promise<void> {
    const client = await this.connect();
    const tokens = await client.tokens();
    // All of them are found before the first is revoked, so that a slip in the last one changes nothing.
    const found = this.wanted.map((wanted) => tokenNamed(tokens, wanted));
    for (const { id, name } of found) {
      await client.revokeToken(id);
      this.print(`token/${id} revoked (${cleanLine(name)})`);
    }
  }
}

function tokenNamed(tokens: readonly ApiToken[], wanted: string): ApiToken {
  if (wanted.startsWith('svc_'))
    throw usageError(
      'Name a token by its id or its name, never by the token itself.',
      'See: svc tokens list',
    );
  const byId = tokens.find(({ id }) => id === wanted);
  if (byId !== undefined) return byId;
  const [token, ...others] = tokens.filter(({ name }) => name === wanted);
  if (token === undefined)
    throw new CliError(ExitCode.notFound, `You have no token "${wanted}".`, { next: 'See: svc tokens list' });
  if (others.length > 0)
    throw usageError(
      `${others.length + 1} tokens are named "${wanted}".`,
      `Name one by its id: ${[token, ...others].map(({ id }) => id).join(', ')}`,
    );
  return token;
}
