/** `svc auth` */
import { Option } from 'clipanion';
import type { Client } from '../client.ts';
import {
  bootstrapTokenPath,
  configDir,
  configPath,
  normaliseUrl,
  readBootstrapToken,
  readConfig,
  writeConfig,
} from '../config.ts';
import { CliError, ExitCode, toCliError, usageError } from '../errors.ts';
import { createPrompt, readAll, type Prompt } from '../prompt.ts';
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
      client configuration directory, readable by you alone. Password and session are neither saved nor logged.

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
    description: 'name of the API token (default: svc-cli@<hostname>)',
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
    const { url, username, password } = await this.answers(
      (await readConfig(path).catch(() => undefined))?.url,
    );

    const client = await this.context.clientFor(url);
    if (bootstrapToken !== undefined) {
      await client.bootstrap(bootstrapToken, { username, password });
      this.note(
        `Made the first account of the node: ${username}. ${bootstrapTokenPath(directory)} has done its work; keep it safe, or delete it.`,
      );
    }
    const session = await client.login({ username, password });
    try {
      const name = this.tokenName ?? `svc-cli@${this.context.hostname}`.slice(0, 128);
      const { token } = await client.mintToken(session.token, { name });
      const me = await client.me(token);
      if (me.user?.username !== username)
        throw new CliError(ExitCode.denied, 'The node minted a token for somebody else; it was not saved.');
      await writeConfig(path, { url, token });
      this.print(`Logged in to ${url} as ${username}. Saved in ${path}.`);
    } finally {
      await this.endSession(client, session.token);
    }
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
    const password = this.passwordStdin ? await readAll(stdin) : await this.askPassword(prompt);
    if (username === '' || password === '') throw usageError('User name and password must not be empty.');
    return { url, username, password };
  }

  private async askPassword(prompt: Prompt): Promise<string> {
    const password = await prompt.askHidden('Password');
    if (this.bootstrap && (await prompt.askHidden('The same again')) !== password) {
      throw usageError('The two passwords differ.', 'Nothing was made. Run the command again.');
    }
    return password;
  }

  /** The session was needed for minting only. It would end by itself; that it did not now is worth a word, no more. */
  private async endSession(client: Client, token: string): Promise<void> {
    try {
      await client.logout(token);
    } catch (error) {
      this.note(`svc: the session could not be ended: ${toCliError(error).message}`);
    }
  }
}

/** Plain HTTP to another machine. */
function isExposed(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(?:127\.|\[::1\]$|(?:.*\.)?localhost$)/.test(hostname);
}
