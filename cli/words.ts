/** Command lines: split into words as a POSIX shell does (XCU 2.2), which does nothing else here, and put together again. Pure. */
import { usageError } from './errors.ts';

/** A run of characters of a word: in single quotes, in double quotes, escaped, or plain. Or the space between words. */
const token = /'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^\s'"\\]+)|(\s+)/y;

/** @param flag that it was given to. Throws a usage error for a quote that is not closed. */
export function wordsOf(flag: string, line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  token.lastIndex = 0;
  while (token.lastIndex < line.length) {
    const match = token.exec(line);
    if (!match) throw usageError(`${flag} has a quote that is not closed.`);
    const [, single, double, escaped, plain, space] = match;
    if (space === undefined) word = (word ?? '') + (single ?? unescape(double) ?? escaped ?? plain ?? '');
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}

/** A command as it would be typed. */
export function quoted(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}

/** Within double quotes a backslash escapes only what would mean something there. */
function unescape(text: string | undefined): string | undefined {
  return text?.replace(/\\(["\\$`\n])/g, (_, char: string) => (char === '\n' ? '' : char));
}
