/**
 * Go's regular expressions (RE2 syntax) as JavaScript ones, as far as a .dockerignore can produce them: literals,
 * escapes, bracket expressions, `.`, `*`, `?`, `|`, counts and groups. Anything else is a SyntaxError.
 */

/** The POSIX names that a bracket expression may hold, as members of a JavaScript one. */
const posixClasses: Record<string, string> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

const piece =
  /\\(?<escaped>.)|\[(?<negated>\^|(?!\^))(?<members>(?:\]|(?!\]))(?:\[:\w+:\]|\\.|[^\]\\])*)\]|(?<count>\{\d+(?:,\d*)?\})|(?<other>.)/gsu;
const member = /\[:(?<name>\w+):\]|\\(?<escaped>.)|(?<other>.)/gsu;

const literal = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;

/** `\` and one character. Letters and digits that mean nothing are refused, as Go does. */
function escape(char: string, outside: boolean): string {
  if (/[^0-9A-Za-z\u0080-\u{10FFFF}]/u.test(char)) return literal(char);
  if (/[dDwWfnrtv]/.test(char) || (outside && /[bB]/.test(char))) return `\\${char}`;
  if (char === 'a') return '\\x07';
  if (char === 's') return outside ? '[\\t\\n\\f\\r ]' : '\\t\\n\\f\\r ';
  if (char === 'S' && outside) return '[^\\t\\n\\f\\r ]';
  throw new SyntaxError(`\\${char} has no meaning`);
}

function bracket(negated: string, members: string): string {
  const inner = members.replace(member, (text, name?: string, escaped?: string) => {
    if (name !== undefined) {
      const posix = posixClasses[name];
      if (posix === undefined) throw new SyntaxError(`[:${name}:] has no meaning`);
      return posix;
    }
    if (escaped !== undefined) return escape(escaped, false);
    return text === '-' ? '-' : literal(text);
  });
  return `[${negated}${inner}]`;
}

function other(char: string): string {
  if (char === '[') throw new SyntaxError('[ is never closed');
  if (char === '.') return '[^\\n]';
  if (char === '^') return '(?:^)'; // Go lets an anchor be counted.
  return /[\]{}]/.test(char) ? `\\${char}` : char;
}

/**
 * @param source RE2 syntax
 * @throws SyntaxError where it is none, or uses what is not supported
 */
export function goRegExp(source: string): RegExp {
  const translated = source.replace(
    piece,
    (text, escaped?: string, negated?: string, members?: string, count?: string) => {
      if (count !== undefined) return count;
      if (escaped !== undefined) return escape(escaped, true);
      if (members !== undefined) return bracket(negated ?? '', members);
      return other(text);
    },
  );
  return new RegExp(translated, 'u');
}
