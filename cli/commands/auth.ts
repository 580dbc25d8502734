/** `svc auth` */
import { Option } from 'clipanion';
import {
  bootstrapTokenPath,
  configDir,
  configPath,
  normaliseUrl,
  readBootstrapToken,
  readConfig,
  writeConfig,
  type ClientConfig,
} from '../config.ts';
import { usageError } from '../errors.ts';
import { loginForToken } from '../login.ts';
import { cleanLine } from '../output/text.ts';
import { createPrompt } from '../prompt.ts';
import { readPassword } from '../secret-input.ts';
import { ClientCommand } from './command.ts';

const localNode = 'http://127.0.0.1:9400';

export class AuthCommand extends ClientCommand {
  static override paths = [['auth']];
  static override usage = {
    category: 'Access',
    description: 'Log in to a node and save an API token for it',
    details: `
      Asks for what is not given: the address of the node, user name and password. Logs in, mints a named API token,
      checks it, and saves address and token in \`client.toml\` (\`client.<profile>.toml\` with \`--profile\`) in the
      client configuration directory, readable by you alone. Password and session are neither saved nor logged. A token
      that was saved there before stays valid; it says which one that is.

      With \`--bootstrap\`, on a node that has no account yet, it first makes the account: it exchanges the bootstrap
      token that \`svc setup\` left in the configuration directory. That works once.

      In CI no login is needed: set \`SVC_URL\` and \`SVC_TOKEN\`.
    `,
    examples: [
      ['Log in, asking for everything', 'svc auth'],
      [
        'Make the first account of a new node, on that node',
        'svc auth --bootstrap --url http://127.0.0.1:9400 --username admin',
      ],
      [
        'Log in from a script, under a profile',
        'svc auth --url https://control.example.com --username ci --profile prod --password-stdin < password-file',
      ],
    ] as [string, string][],
  };

  url = Option.String('--url', { description: 'address of the node' });
  username = Option.String('--username', { description: 'who logs in' });
  tokenName = Option.String('--token-name', {
    description: 'name of the API token (default: svc-cli <who runs this>@<hostname>)',
  });
  passwordStdin = Option.Boolean('--password-stdin', false, {
    description: 'read the password from standard input',
  });
  bootstrap = Option.Boolean('--bootstrap', false, {
    description: 'make the first account of the node, then log in',
  });

  override async execute(): Promise<void> {
    const directory = configDir(this.context.env);
    const path = configPath(directory, this.profile);
    const bootstrapToken = this.bootstrap ? await readBootstrapToken(directory) : undefined;
    // A damaged file is about to be replaced, so nothing of it matters.
    const before = await readConfig(path).catch(() => undefined);
    const { url, username, password } = await this.answers(before?.url);

    const client = await this.context.clientFor(url, undefined, this.bootstrap ? staleToken : undefined);
    if (bootstrapToken !== undefined) {
      await client.bootstrap(bootstrapToken, { username, password });
      this.note(
        `Made the first account of the node: ${username}. ${bootstrapTokenPath(directory)} has done its work; keep it safe, or delete it.`,
      );
    }
    await loginForToken(client, {
      credentials: { username, password },
      tokenName: this.tokenName ?? this.defaultTokenName(),
      keep: (token) => writeConfig(path, { url, token }),
      warn: (message) => this.note(`svc: ${message}`),
    });
    this.print(`Logged in to ${url} as ${username}. Saved in ${path}.`);
    if (before !== undefined) await this.tellOf(before, url);
  }

  /** Says who made it and where, so that it is known again in `svc tokens list`. */
  private defaultTokenName(): string {
    const { user, hostname } = this.context;
    return `svc-cli ${user}@${hostname}`.slice(0, 128);
  }

  /** What was saved before is overwritten now, and nobody would know of it. */
  private async tellOf(before: ClientConfig, url: string): Promise<void> {
    if (before.url !== url) {
      this.note(`The token that was saved before, for ${before.url}, was not revoked.`);
      return;
    }
    const client = await this.context.clientFor(url, before.token);
    // Where it no longer holds, there is nothing to tell.
    const me = await client.me().catch(() => undefined);
    if (!me?.token) return;
    const { name, id } = me.token;
    this.note(`The token that was saved before ("${cleanLine(name)}") is still valid.`);
    this.note(`If nothing else uses it, revoke it with: svc tokens revoke ${cleanLine(id)}`);
  }

  /** What was not given as a flag is asked for. */
  private async answers(
    known: string | undefined,
  ): Promise<{ url: string; username: string; password: string }> {
    const { stdin, stderr } = this.context;
    const advice = 'Give --url and --username, and the password with --password-stdin.';
    if (this.passwordStdin && (this.url === undefined || this.username === undefined)) {
      throw usageError(
        '--password-stdin leaves no way to ask for the rest.',
        'Give --url and --username too.',
      );
    }
    const prompt = createPrompt(stdin, stderr, advice);
    const url = normaliseUrl(this.url ?? (await prompt.ask('Address of the node', known ?? localNode)));
    if (isExposed(url))
      this.note(`svc: the connection to ${url} is not encrypted: whoever sees it sees the password.`);
    const username = this.username ?? (await prompt.ask('User name'));
    if (username === '') throw usageError('The user name must not be empty.');
    const password = await readPassword(this.context, {
      question: 'Password',
      fromStdin: this.passwordStdin,
      twice: this.bootstrap,
      prompt,
    });
    return { url, username, password };
  }
}

/** It was made under another node key: for another data directory, or before the key was rotated. */
const staleToken = 'If the bootstrap token is not of this node, make one on it: svc setup --force';

/** Plain HTTP to another machine. */
function isExposed(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(?:127\.|\[::1\]$|(?:.*\.)?localhost$)/.test(hostname);
}
