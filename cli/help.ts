/** Help: of one command, from its `static usage` and its options, and of all of them. Prints nothing itself. */
import { Cli, type CommandClass } from 'clipanion';
import { commands } from './commands/index.ts';
import type { Context } from './context.ts';
import { alignRows } from './output/table.ts';

/** What is to be said about a command; texts are Markdown. */
export interface CommandHelp {
  /** `svc get [options] <kind> [name]` */
  usage: string;
  category: string;
  description: string;
  details: string;
  /** `-p,--project <value>` and what it is for. */
  options: { flags: string; description: string }[];
  /** What it does and the command line. */
  examples: [string, string][];
}

export function describeCommand(commandClass: CommandClass<Context>): CommandHelp {
  const cli = Cli.from<Context>(commandClass, { binaryName: 'svc', enableColors: false });
  const [definition] = cli.definitions();
  if (definition === undefined) throw new Error(`${commandClass.name} has no static usage.`);
  const options = definition.options.map(({ definition: flags, description = '' }) => ({
    flags: flags.replaceAll(',', ', ').replaceAll(/ #\d+/g, ' <value>'),
    description: description.trim(),
  }));
  const path = ['svc', ...(commandClass.paths?.[0] ?? [])].join(' ');
  return {
    usage: options.length === 0 ? definition.usage : definition.usage.replace(path, `${path} [options]`),
    category: definition.category?.trim() ?? '',
    description: definition.description?.trim() ?? '',
    details: definition.details?.trim() ?? '',
    options,
    examples: definition.examples ?? [],
  };
}

/** Help of one command, as lines. */
export function commandHelp(help: CommandHelp): string[] {
  const lines = [help.description, '', `Usage: ${help.usage}`];
  if (help.options.length > 0) {
    lines.push(
      '',
      'Options:',
      ...alignRows(help.options.map(({ flags, description }) => [`  ${flags}`, description])),
    );
  }
  if (help.details !== '') lines.push('', ...help.details.split('\n').map((line) => line.trimEnd()));
  if (help.examples.length > 0) lines.push('', 'Examples:');
  for (const [what, line] of help.examples) lines.push(`  # ${what.trim()}`, `  ${line}`);
  return lines;
}

/** Every command with its first sentence, by category; `group` narrows it to those that begin with these words. */
export async function overviewHelp(group: readonly string[] = []): Promise<string[]> {
  const chosen = commands.filter(({ path }) => group.every((word, index) => path[index] === word));
  const entries = await Promise.all(
    chosen.map(async (entry) => ({ entry, help: describeCommand(await entry.load()) })),
  );
  const width = Math.max(...chosen.map(({ path }) => path.join(' ').length));
  const lines = ['Usage: svc <command> [options]'];
  for (const category of new Set(entries.map(({ help }) => help.category))) {
    lines.push('', `${category}:`);
    for (const { entry, help } of entries.filter((one) => one.help.category === category)) {
      lines.push(`  ${entry.path.join(' ').padEnd(width)}   ${help.description}`);
    }
  }
  return [...lines, '', 'More about a command: svc <command> --help'];
}
