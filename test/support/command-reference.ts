/** The command reference of cli/README.md, made from the `static usage` of every command. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { commands } from '../../cli/commands/index.ts';
import { describeCommand, type CommandHelp } from '../../cli/help.ts';

const readme = fileURLToPath(new URL('../../cli/README.md', import.meta.url));
const [begin, end] = ['<!-- reference: begin -->\n', '<!-- reference: end -->\n'];

/** Markdown: a section per command, in the order of `svc --help`. */
export async function commandReference(): Promise<string> {
  const helps = await Promise.all(
    commands.map(async ({ path, load }) => ({ path, help: describeCommand(await load()) })),
  );
  return helps.map(({ path, help }) => section(path, help)).join('\n');
}

function section(
  path: readonly string[],
  { usage, description, details, options, examples }: CommandHelp,
): string {
  const lines = [`### svc ${path.join(' ')}`, '', `${description}.`, '', '```', usage, '```', ''];
  if (options.length > 0) {
    lines.push('| option | meaning |', '|---|---|');
    for (const option of options) lines.push(`| \`${option.flags}\` | ${cell(option.description)} |`);
    lines.push('');
  }
  for (const paragraph of details.split(/\n{2,}/)) lines.push(paragraph.replaceAll(/\s*\n/g, ' ').trim(), '');
  lines.push('```sh');
  for (const [what, line] of examples) lines.push(`# ${what.trim()}`, line);
  return [...lines, '```', ''].join('\n');
}

/** Markdown takes a bar for the end of a cell, and angle brackets for HTML. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** What the README says between its two marks. */
export async function writtenReference(): Promise<string> {
  const text = await readFile(readme, 'utf8');
  return text.slice(text.indexOf(begin) + begin.length, text.indexOf(end));
}

/** Puts the reference between the two marks of the README. */
export async function writeReference(): Promise<void> {
  const text = await readFile(readme, 'utf8');
  const head = text.slice(0, text.indexOf(begin) + begin.length);
  await writeFile(readme, `${head}${await commandReference()}${text.slice(text.indexOf(end))}`);
}
