/** `svc users password` */
import { Option } from 'clipanion';
import type { Client } from '../../client.ts';
import { usageError } from '../../errors.ts';
import { createPrompt } from '../../prompt.ts';
import { readBytes, readPassword, secretText } from '../../secret-input.ts';
import { ClientCommand } from '../command.ts';

export class PasswordCommand extends ClientCommand {
  static override paths = [['users', 'password']];
  static override usage = {
    category: 'Access',
    description: 'Change your password, or as a super-admin that of another',
    details: `
      Your own: asks for the one that holds now, and twice for the new one. Your sessions elsewhere end; API tokens stay,
      unless \`--revoke-tokens\` ends them too, all but the one that this command uses.

      Of another, by name: all of their sessions and tokens end at once.

      With \`--password-stdin\` standard input holds the new password; your own needs the current one on a line before it.
    `,
    examples: [
      ['Change your password', 'svc users password'],
      ['Change it because somebody may know it', 'svc users password --revoke-tokens'],
      ['Give another user a new one', 'svc users password grace'],
    ] as [string, string][],
  };

  revokeTokens = Option.Boolean('--revoke-tokens', false, {
    description: 'end your other API tokens too',
  });
  passwordStdin = Option.Boolean('--password-stdin', false, {
    description: 'read from standard input',
  });
  name = Option.String({ name: 'name', required: false });

  override async execute(): Promise<void> {
    const client = await this.connect();
    if (this.name === undefined) return this.changeOwn(client);
    if (this.revokeTokens)
      throw usageError('--revoke-tokens is for your own password: those of another end in any case.');
    const password = await readPassword(this.context, {
      question: `New password for ${this.name}`,
      fromStdin: this.passwordStdin,
      twice: true,
    });
    const { username } = await client.updateUser(this.name, { password });
    this.print(`user/${username} has a new password`);
    this.note(`All sessions and tokens of ${username} have ended.`);
  }

  private async changeOwn(client: Client): Promise<void> {
    const [current, password] = this.passwordStdin ? await this.twoLines() : await this.askBoth();
    await client.changePassword({
      current_password: current,
      password,
      ...(this.revokeTokens && { revoke_tokens: true }),
    });
    this.print('Your password has changed.');
    this.note(
      this.revokeTokens
        ? 'Your other sessions and API tokens have ended; this login goes on.'
        : 'Your other sessions have ended; API tokens go on. See them with: svc tokens list',
    );
  }

  private async askBoth(): Promise<[string, string]> {
    const { stdin, stderr } = this.context;
    const prompt = createPrompt(stdin, stderr, 'Give the current and the new one with --password-stdin.');
    const current = await prompt.askHidden('Current password');
    const question = 'New password';
    const password = await readPassword(this.context, { question, fromStdin: false, twice: true, prompt });
    return [current, password];
  }

  private async twoLines(): Promise<[string, string]> {
    const text = secretText(await readBytes(this.context.stdin), 'Standard input', 'cut');
    const [current, password, ...rest] = text.split(/\r?\n/);
    if (!current || !password || rest.length > 0)
      throw usageError('Standard input holds two lines: the current password, then the new one.');
    return [current, password];
  }
}
