/** `svc auth status` */
import { Option } from 'clipanion';
import type { ApiToken, Me } from '../../../specs/account.ts';
import { facts, moment } from '../../kinds/sections.ts';
import { json, yaml } from '../../output/document.ts';
import { documentFormatOf } from '../../output/resources.ts';
import { ClientCommand } from '../command.ts';

export class AuthStatusCommand extends ClientCommand {
  static override paths = [['auth', 'status']];
  static override usage = {
    category: 'Access',
    description: 'Show who you are on the node, and what you may do',
    details: `
      Asks the node whether the saved token (or \`SVC_TOKEN\`) still holds. Ends with 3 when nobody is logged in, or the
      token was revoked or has expired. The token itself is not shown.
    `,
    examples: [
      ['Show it', 'svc auth status'],
      ['Check a profile in a script', 'svc auth status --profile prod > /dev/null'],
    ] as [string, string][],
  };

  output = Option.String('-o,--output', { description: 'table, json or yaml' });

  override async execute(): Promise<void> {
    const format = documentFormatOf(this.output);
    const { stdout, clock } = this.context;
    const { url, path } = await this.context.login(this.profile);
    const client = await this.connect();
    const me = await client.me();
    if (format === 'json') stdout.write(json(me));
    else if (format === 'yaml') stdout.write(await yaml(me));
    else {
      const from = path ?? 'SVC_URL and SVC_TOKEN';
      for (const line of facts({ Node: url, 'Login from': from, ...factsOf(me, clock.now()) }).lines)
        this.print(line);
    }
  }
}

function factsOf({ kind, user, super_admin: isSuperAdmin, token, projects }: Me, now: number) {
  const roles = projects.map(({ name, role }) => `${name}: ${role}`).join('\n');
  return {
    User: user?.username ?? 'nobody: this is the bootstrap token',
    'Super-admin': isSuperAdmin ? 'yes' : 'no',
    Token: token === null ? kind : tokenLine(token),
    ...(token !== null && {
      Made: moment(token.created_at, now),
      Expires: token.expires_at ?? 'never',
    }),
    Projects: roles || (isSuperAdmin ? 'all' : 'none: ask an Admin of one for a role'),
  };
}

function tokenLine({ id, name, project, role }: ApiToken): string {
  const limits = [
    ...(project === null ? [] : [`project ${project} only`]),
    ...(role === null ? [] : [`no more than ${role}`]),
  ];
  return `${name} (${id})${limits.length === 0 ? '' : `, ${limits.join(', ')}`}`;
}
