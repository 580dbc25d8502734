/** `svc secrets set` */
import { Option } from 'clipanion';
import { usageError, type CliError } from '../../errors.ts';
import { isTerminal } from '../../output/colour.ts';
import { createPrompt } from '../../prompt.ts';
import { readBytes, readSecretFile, secretText } from '../../secret-input.ts';
import { ReleaseCommand } from '../release-command.ts';

export class SetSecretCommand extends ReleaseCommand {
  static override paths = [['secrets', 'set']];
  static override usage = {
    category: 'Services',
    description: 'Set secret variables of the environment of a service',
    details: `
      A value is read from standard input (on a terminal it is asked for, and not shown) or from a file, never from the
      command line, where other users of the machine and the shell's history would have it. The node keeps it sealed; it
      is never shown again, and taken out of build output, logs and errors.

      One line end after standard input is cut, as \`echo\` makes it; \`--keep-newline\` keeps it. A file is taken as it
      is.

      \`--from-env-file\` sets many at once: lines of NAME=VALUE with comments, quotes, and nothing that is passed over.

      What runs is released anew with it: a new deployment of the same image, without a build. Ends with 1 when that does
      not become healthy.
    `,
    examples: [
      ['Type a value', 'svc secrets set shop/web DATABASE_URL'],
      ['Take it from another program', 'pass show shop/db | svc secrets set web DATABASE_URL -p shop'],
      ['Take it from a file', 'svc secrets set shop/web TLS_KEY --from-file key.pem'],
      ['Set all of a file', 'svc secrets set shop/web --from-env-file .env.production'],
    ] as [string, string][],
  };

  fromFile = Option.String('--from-file', { description: 'read the value from this file' });
  // Not `--env-file`: Node takes that one for itself, wherever it stands (https://nodejs.org/api/cli.html#--env-filefile).
  envFile = Option.String('--from-env-file', {
    description: 'read names and values from this file; - for standard input',
  });
  keepNewline = Option.Boolean('--keep-newline', false, {
    description: 'keep the line end after standard input',
  });
  service = Option.String({ name: 'service' });
  // Anything that follows is taken, so that it can be refused without being quoted.
  names = Option.Rest({ name: 'name' });

  override async execute(): Promise<number> {
    const name = this.nameGiven();
    const values = name === undefined ? await this.fromEnvFile() : { [name]: await this.value(name) };
    const client = await this.connect();
    const service = await this.findService(client, this.service);
    await client.updateSecrets(service.id, { set: values });
    for (const one of Object.keys(values)) this.print(`secret/${service.project}/${service.name}/${one} set`);
    return this.follow(client, service);
  }

  /** undefined: they are in the file of `--from-env-file`. */
  private nameGiven(): string | undefined {
    const { envFile, fromFile, names, service } = this;
    if ([service, ...names].some((word) => word.includes('='))) throw valueAsArgument();
    const [name, ...rest] = names;
    if (rest.length > 0) throw valueAsArgument();
    if (envFile === undefined && name === undefined)
      throw usageError(
        'Which secret?',
        'Name it: svc secrets set SERVICE NAME, or give --from-env-file PATH.',
      );
    if (envFile !== undefined && (name !== undefined || fromFile !== undefined || this.keepNewline))
      throw usageError(
        '--from-env-file names the secrets itself: it goes with no NAME, --from-file or --keep-newline.',
      );
    if (fromFile !== undefined && this.keepNewline)
      throw usageError('--keep-newline is for standard input: a file is taken as it is.');
    return name;
  }

  private async value(name: string): Promise<string> {
    const value = await this.read(name);
    if (value === '') throw usageError(`The value of ${name} is empty: nothing was set.`);
    return value;
  }

  private async read(name: string): Promise<string> {
    const { stdin, stderr, cwd } = this.context;
    if (this.fromFile !== undefined) return readSecretFile(cwd, this.fromFile);
    if (isTerminal(stdin))
      return createPrompt(stdin, stderr, 'Give the value on standard input.').askHidden(`Value of ${name}`);
    return secretText(await readBytes(stdin), 'Standard input', this.keepNewline ? 'keep' : 'cut');
  }

  private async fromEnvFile(): Promise<Record<string, string>> {
    const { stdin, cwd } = this.context;
    const { parseDotenv } = await import('../../dotenv.ts');
    const path = this.envFile ?? '-';
    const where = path === '-' ? 'Standard input' : path;
    const text =
      path === '-' ? secretText(await readBytes(stdin), where, 'keep') : await readSecretFile(cwd, path);
    const values = parseDotenv(text, where);
    if (values.size === 0) throw usageError(`${where} names no secret: nothing was set.`);
    for (const [name, value] of values)
      if (value === '') throw usageError(`${where}: the value of ${name} is empty: nothing was set.`);
    return Object.fromEntries(values);
  }
}

function valueAsArgument(): CliError {
  return usageError(
    'A value is never given on the command line: nothing was set.',
    'Give it on standard input, or with --from-file. If it was a real one, change it where it comes from: it is in the history of your shell now.',
  );
}
