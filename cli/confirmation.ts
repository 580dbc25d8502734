/** Asks before what cannot be undone. */
import type { Context } from './context.ts';
import { usageError } from './errors.ts';
import { isTerminal } from './output/colour.ts';
import { cleanText } from './output/text.ts';
import { createPrompt } from './prompt.ts';

export interface Confirmation {
  /** What will happen: a sentence. */
  warning: string;
  /** What has to be typed. */
  expected: string;
  /** `--yes` was given. */
  yes: boolean;
  /** What to do where nobody can be asked: `give --yes` unless said otherwise. */
  otherwise?: string;
}

/** Returns once the user has agreed. Throws a usage error otherwise, and where there is no terminal to ask. */
export async function confirm(
  { stdin, stderr }: Pick<Context, 'stdin' | 'stderr'>,
  { warning, expected, yes, otherwise = 'give --yes' }: Confirmation,
): Promise<void> {
  if (yes) return;
  if (!isTerminal(stdin))
    throw usageError(
      `${warning} There is no terminal to ask whether you mean it.`,
      `If you do, ${otherwise}.`,
    );
  stderr.write(`${cleanText(warning)}\n`);
  const prompt = createPrompt(stdin, stderr, `${otherwise.charAt(0).toUpperCase()}${otherwise.slice(1)}.`);
  if ((await prompt.ask(`Type ${cleanText(expected)} to go on`)) !== expected)
    throw usageError('Nothing was changed: something else was typed.');
}
