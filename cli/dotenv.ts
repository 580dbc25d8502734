/**
 * Reads `KEY=VALUE` lines as `.env` files have them. Strict where other readers (dotenv, `util.parseEnv`) pass over what
 * they do not understand: a secret that is silently left out, or cut at a quote, would be found in production.
 */
import { usageError, type CliError } from './errors.ts';

const assignment = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*/;
/** Of a value without quotes: what stands after a space and `#` is a comment. */
const comment = /(?:^|[ \t])#.*$/;
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' };

/**
 * Values by name, in the order of the text. Blank lines, lines that begin with `#`, and `export` before a name are passed
 * over. A value stands as it is; in single quotes with everything in it; in double quotes with `\n`, `\r`, `\t`, `\"`,
 * `\\` and `\$`. Quoted ones may go on over lines. Nothing is put in for `$NAME`.
 * @param where the file, as messages name it
 * Throws a usage error that names the line and never what stands on it.
 */
export function parseDotenv(text: string, where: string): Map<string, string> {
  const values = new Map<string, string>();
  const wrong = (line: number, message: string) => usageError(`${where}, line ${line}: ${message}`);
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  for (let at = 0; at < lines.length;) {
    const first = at + 1;
    const line = lines[at] ?? '';
    at += 1;
    if (/^[ \t]*(?:#|$)/.test(line)) continue;
    const [head, name] = assignment.exec(line) ?? [];
    if (head === undefined || name === undefined)
      throw wrong(first, 'this is no NAME=VALUE. A name is made of letters, digits and underscores.');
    if (values.has(name)) throw wrong(first, `${name} is there twice.`);
    let rest = line.slice(head.length);
    const quote = rest[0];
    if (quote !== '"' && quote !== "'") {
      values.set(name, rest.replace(comment, '').trimEnd());
      continue;
    }
    let end = endOfQuote(rest, quote);
    while (end === -1) {
      const more = lines[at];
      if (more === undefined)
        throw wrong(first, `the value of ${name} begins with a quote that nothing closes.`);
      at += 1;
      rest += `\n${more}`;
      end = endOfQuote(rest, quote);
    }
    if (!/^[ \t]*(?:#.*)?$/.test(rest.slice(end + 1)))
      throw wrong(first, `something stands after the closing quote of ${name}.`);
    const quoted = rest.slice(1, end);
    values.set(name, quote === "'" ? quoted : unescaped(quoted, () => wrong(first, unknownEscape(name))));
  }
  return values;
}

/** Where the quote that a text begins with is closed; -1 where it is not. */
function endOfQuote(text: string, quote: '"' | "'"): number {
  for (let at = 1; at < text.length; at += 1) {
    if (quote === '"' && text[at] === '\\') at += 1;
    else if (text[at] === quote) return at;
  }
  return -1;
}

function unescaped(text: string, unknown: () => CliError): string {
  return text.replaceAll(/\\([^])/g, (_, char: string) => {
    const value = escapes[char];
    if (value === undefined) throw unknown();
    return value;
  });
}

function unknownEscape(name: string): string {
  return `a backslash in the value of ${name} stands before something that it does not escape. Write \\\\ for itself, or single quotes.`;
}
