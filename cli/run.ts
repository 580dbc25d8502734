/** Runs one command line: finds the command, loads it, and turns every outcome into an exit code. */
import { Cli, type Command, type CommandClass } from 'clipanion';
import { commands } from './commands/index.ts';
import type { Context } from './context.ts';
import { CliError, ExitCode, errorDocument, errorLines, toCliError, usageError } from './errors.ts';
import { didYouMean, meant } from './nearest.ts';
import { otherNames } from './other-names.ts';
import { paletteFor } from './output/colour.ts';
import { json } from './output/document.ts';
import { cleanText } from './output/text.ts';

/** @returns the exit code (see errors.ts); never throws */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  try {
    return await dispatch(normalise(argv), context);
  } catch (error) {
    const failure = interruption(error) ?? toCliError(error);
    report(failure, argv, context);
    return failure.exitCode;
  } finally {
    context.close();
  }
}

/** A bare `svc`, `svc help push` and `svc --version` mean what people expect of them. */
function normalise(argv: readonly string[]): string[] {
  const [first, ...rest] = argv;
  if (first === undefined) return ['--help'];
  if (first === '--version' || first === '-v') return ['version'];
  if (first === 'help') return [...rest, '--help'];
  return [...argv];
}

async function dispatch(argv: string[], context: Context): Promise<number> {
  const words = leading(argv, (word) => !word.startsWith('-'));
  const asksForHelp = leading(argv, (word) => word !== '--').some(
    (word) => word === '--help' || word === '-h',
  );
  // The longest path that fits: `svc auth status` is not `svc auth`.
  const [entry] = commands
    .filter(({ path }) => path.every((word, index) => words[index] === word))
    .sort((a, b) => b.path.length - a.path.length);
  if (entry === undefined) {
    // `svc jobs` is what there is of them.
    const list = [...words, 'list'];
    if (!asksForHelp && commands.some(({ path }) => path.join(' ') === list.join(' ')))
      return await dispatch([...list, ...argv.slice(words.length)], context);
    return await overview(words, asksForHelp, context);
  }

  const commandClass = await entry.load();
  if (asksForHelp) {
    const { commandHelp, describeCommand } = await import('./help.ts');
    write(context, commandHelp(describeCommand(commandClass)));
    return ExitCode.done;
  }
  return await parse(commandClass, argv, context).validateAndExecute();
}

/** No command begins like this: shows what there is, or says which one may have been meant. */
async function overview(words: string[], asksForHelp: boolean, context: Context): Promise<number> {
  const group = groupOf(words);
  if (asksForHelp && words.length === group.length) {
    const { overviewHelp } = await import('./help.ts');
    write(context, await overviewHelp(group));
    return ExitCode.done;
  }
  if (words.length === 0)
    throw usageError('The command comes first, its options after it.', 'See: svc --help');
  if (words.length === group.length) {
    const said = `svc ${group.join(' ')}`;
    throw usageError(`${said} needs one more word: ${nextWords(group).join(', ')}.`, `See: ${said} --help`);
  }
  const next = words[group.length] ?? '';
  // What is no plain word may be a value that belongs to no command line; it is not repeated.
  const said = [...group, /^[\w-]{1,40}$/.test(next) ? next : '…'].join(' ');
  // Of a slip in the first word of two, the first alone is known to be wrong.
  const known = new Set(
    commands.flatMap(({ path }) => [path.join(' '), path.slice(0, group.length + 1).join(' ')]),
  );
  const other = otherNames.get(said);
  const suggestion = other === undefined ? didYouMean(said, known) : meant(other);
  throw usageError(`There is no command "${said}".${suggestion}`, 'See: svc --help');
}

/** What may follow these words. */
function nextWords(group: readonly string[]): string[] {
  const fitting = commands.filter(({ path }) => group.every((word, index) => path[index] === word));
  return [...new Set(fitting.flatMap(({ path }) => path.slice(group.length, group.length + 1)))];
}

/** As many of these words as some command begins with: `projects deploy-key`. */
function groupOf(words: readonly string[]): string[] {
  const longest = Math.max(
    ...commands.map(({ path }) => path.findIndex((word, index) => word !== words[index])),
  );
  return words.slice(0, longest);
}

function parse(commandClass: CommandClass<Context>, argv: string[], context: Context): Command<Context> {
  const cli = Cli.from<Context>(commandClass, { binaryName: 'svc', enableColors: false });
  try {
    return cli.process(argv, context);
  } catch (error) {
    const path = commandClass.paths?.[0]?.join(' ') ?? '';
    throw usageError(parseFailure(error, argv, cli), `See: svc ${path} --help`);
  }
}

/** What clipanion found wrong, in one sentence. */
function parseFailure(error: unknown, argv: readonly string[], cli: Cli<Context>): string {
  const candidates = (error as { candidates?: { reason: string | null }[] }).candidates ?? [];
  const reason = candidates.find((candidate) => candidate.reason !== null)?.reason;
  if (typeof reason !== 'string')
    return (
      missingOption(argv, cli) ??
      (error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error))
    );
  // Not repeated: where a command takes no password and no value as an argument, this may be one.
  if (reason.startsWith('Extraneous positional argument')) return 'There is an argument too many.';
  const [, option] = /^(?:Unsupported|Invalid) option name \("([^"=]+)/.exec(reason) ?? [];
  if (reason.startsWith('Not enough positional')) return missingArguments(cli);
  if (option === undefined) return reason;
  const known = cli
    .definitions()
    .flatMap(({ options }) => options.flatMap(({ definition }) => definition.match(/--?[a-z-]+/g) ?? []));
  // Any letter is one edit away from any other.
  return `There is no option ${option}.${option.startsWith('--') ? didYouMean(option, known) : ''}`;
}

/** clipanion says only that there are too few. */
function missingArguments(cli: Cli<Context>): string {
  const names = cli.definitions()[0]?.usage.match(/(?<=\s)<[a-z-]+>/g) ?? [];
  return `Not enough arguments: it takes ${names.join(' and ')}.`;
}

/** For an option that has to be there, and is not, clipanion gives no reason. */
function missingOption(argv: readonly string[], cli: Cli<Context>): string | undefined {
  const given = new Set(argv.map((word) => word.split('=')[0]));
  const missing = cli
    .definitions()
    .flatMap(({ options }) => options)
    .filter(({ required }) => required)
    .flatMap(({ definition }) => definition.match(/--[a-z-]+/g) ?? [])
    .filter((name) => !given.has(name));
  return missing.length === 0 ? undefined : `It takes ${missing.join(' and ')}.`;
}

function report(failure: CliError, argv: readonly string[], context: Context): void {
  if (wantsJson(argv)) {
    context.stderr.write(json(errorDocument(failure)));
    return;
  }
  const [first = '', ...rest] = errorLines(failure).map((line) => cleanText(line));
  const { red } = paletteFor(context.stderr, context.env);
  context.stderr.write(`${[`${red('svc:')} ${first}`, ...rest.map((line) => `     ${line}`)].join('\n')}\n`);
}

/** Read from the line itself, so that it holds for a line that could not be parsed too. What stands behind `--` is not ours. */
function wantsJson(line: readonly string[]): boolean {
  const argv = leading(line, (word) => word !== '--');
  return argv.some((word, index) => {
    if (word === '-o=json' || word === '--output=json') return true;
    return (word === '-o' || word === '--output') && argv[index + 1] === 'json';
  });
}

/** Ctrl-C, wherever it was noticed. */
function interruption(error: unknown): CliError | undefined {
  if (!(error instanceof Error) || error.name !== 'AbortError') return undefined;
  return new CliError(ExitCode.interrupted, 'Interrupted.', { cause: error });
}

function leading(words: readonly string[], belongs: (word: string) => boolean): string[] {
  const end = words.findIndex((word) => !belongs(word));
  return end === -1 ? [...words] : words.slice(0, end);
}

function write(context: Context, lines: readonly string[]): void {
  context.stdout.write(`${lines.join('\n')}\n`);
}
