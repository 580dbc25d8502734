/**
 * The ignore rules of one working tree: the user's excludes file, `.git/info/exclude` and the `.gitignore` of each directory
 * on the way down, as one list in git's order of precedence. Rules: gitignore(5). Reads nothing.
 */
import ignore, { type Ignore } from 'ignore';

export interface GitRules {
  /**
   * @param path relative to the top of the working tree; a directory ends with `/`
   * @returns whether the last rule that speaks of it, or of a directory above it, ignores it
   */
  ignores(path: string): boolean;
  /** These rules and, with precedence over them, those of an ignore file in `directory` (`''` is the top). */
  with(directory: string, text: string): GitRules;
}

/**
 * git compares the part of an anchored pattern before its first wildcard by itself, so that `a**` followed by `/` or nothing
 * spans directories, which the manual does not say and the library does not do: spelled out in patterns that say it.
 */
function spelledOut(body: string): string[] {
  const slash = body.endsWith('/') ? '/' : '';
  const found = /^\/?([^*?[\\]*[^*?[\\/])\*{2,}(?:\/(.*))?$/s.exec(body.slice(0, body.length - slash.length));
  if (!found) return [body];
  // Globstars right behind it add nothing.
  const [prefix = '', rest] = [found[1], found[2]?.replace(/^(?:\*{2,}\/)*(?:\*{2,}$)?/, '')];
  if (rest) return [`/${prefix}${rest}${slash}`, `/${prefix}*/**/${rest}${slash}`];
  return [`/${prefix}*${slash}`, `/${prefix}*/**${slash}`];
}

/**
 * The patterns of one line as if it stood in a file at the top instead of one in `directory`.
 * A `/` at its beginning or middle anchors a pattern to its own directory; without one it matches at any depth.
 */
function rebase(line: string, directory: string): string[] {
  if (line.startsWith('#')) return [];
  const mark = line.startsWith('!') ? '!' : '';
  const body = line.slice(mark.length).replace(/(?<!\\) +$/, '');
  if (/^\/*$/.test(body)) return [];
  const base = directory === '' ? '' : `/${directory.replaceAll(/[\\*?[]/g, '\\$&')}`;
  if (!body.slice(0, -1).includes('/')) return [base === '' ? `${mark}${body}` : `${mark}${base}/**/${body}`];
  return spelledOut(body).map((path) => `${mark}${base}${path.startsWith('/') ? '' : '/'}${path}`);
}

/** One character for each byte of its UTF-8 form: git's `?` and brackets match bytes. */
const bytes = (text: string): string =>
  /[\u0080-\uFFFF]/.test(text) ? Buffer.from(text).toString('latin1') : text;

function rules(matcher: Ignore, ignoreCase: boolean): GitRules {
  // A comparison that ignores case must not fold bytes of one letter into another's.
  const encode = ignoreCase ? (text: string) => text : bytes;
  return {
    ignores: (path) => matcher.ignores(encode(path)),
    with(directory, text) {
      const lines = text.replace(/^\uFEFF|\r$/g, '').split(/\r?\n/);
      const rebased = lines.flatMap((line) => rebase(line, directory)).join('\n');
      return rules(ignore({ ignoreCase }).add(matcher).add(encode(rebased)), ignoreCase);
    },
  };
}

/** @param ignoreCase git's core.ignoreCase, which it sets on file systems that ignore case */
export function gitRules(ignoreCase: boolean): GitRules {
  return rules(ignore({ ignoreCase }), ignoreCase);
}
