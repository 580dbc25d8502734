/** `svc tokens create` */
import { Option } from 'clipanion';
import type { CreateApiToken } from '../../../specs/account.ts';
import { cleanLine } from '../../output/text.ts';
import { roleNamed } from '../../role.ts';
import { ClientCommand, futureFlag } from '../command.ts';

export class CreateTokenCommand extends ClientCommand {
  static override paths = [['tokens', 'create']];
  static override usage = {
    category: 'Access',
    description: 'Make an API token for a program',
    details: `
      Prints the token, and nothing else, on standard output. It is shown this once. A program uses it with \`SVC_URL\`
      and \`SVC_TOKEN\`.

      It may do what you may do, in all of your projects. \`--project\` limits it to one, \`--role\` to less than your own
      role; a limited token changes no account and makes no token.
    `,
    examples: [
      [
        'Make one for a CI that deploys to one project',
        'svc tokens create ci --project shop --role Operator',
      ],
      ['Make one that ends by itself', 'svc tokens create report --role Viewer --expires 30d'],
      ['Put it where a program finds it', 'svc tokens create ci > token'],
    ] as [string, string][],
  };

  expires = Option.String('--expires', {
    description: 'when it ends: after a duration such as 30d, or at an RFC 3339 time (default: never)',
  });
  project = Option.String('-p,--project', { description: 'the only project that it reaches' });
  role = Option.String('--role', { description: 'the most that it may do: Viewer, Operator or Admin' });
  name = Option.String({ name: 'name' });

  override async execute(): Promise<void> {
    const body: CreateApiToken = {
      name: this.name,
      ...(this.expires !== undefined && {
        expires_at: await futureFlag('--expires', this.expires, this.context.clock.now()),
      }),
      ...(this.project !== undefined && { project: this.project }),
      ...(this.role !== undefined && { role: roleNamed(this.role) }),
    };
    const client = await this.connect();
    const { id, name, token, expires_at: end } = await client.mintToken(body);
    this.note(
      `Token "${cleanLine(name)}" (${id}), ${end === null ? 'until it is revoked' : `until ${end}`}.`,
    );
    this.note('It is not shown again. Revoke it with: svc tokens revoke ' + id);
    this.print(token);
  }
}
