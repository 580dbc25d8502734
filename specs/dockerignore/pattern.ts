/**
 * One pattern of a .dockerignore as a predicate over slash-separated paths. The rules are those of moby/patternmatcher,
 * its odd corners included: what Docker leaves out is left out here. Reads nothing.
 */
import { posix } from 'node:path';
import { goRegExp } from './go-regexp.ts';

/** A pattern that Docker refuses too. */
export class DockerignoreError extends Error {
  override readonly name = 'DockerignoreError';
  /** What to do next, one sentence. */
  readonly hint = 'Close its brackets, put something after "!" and write "/" between the parts of a path.';

  constructor(pattern: string, options?: ErrorOptions) {
    super(`The pattern ${JSON.stringify(pattern)} of the .dockerignore is malformed.`, options);
  }
}

export interface DockerPattern {
  /** Cleaned, without its `!`. */
  readonly text: string;
  /** Began with `!`: a match takes a path back in. */
  readonly negated: boolean;
  matches(path: string): boolean;
}

/** To Go's `filepath.Match`: escapes, bracket expressions that are closed and not empty, other characters. */
const wellFormed = /^(?:\\.|\[(?:\^|(?!\^))(?:(?:\\.|[^\]\\-])(?:-(?:\\.|[^\]\\-]))?)+\]|[^\\[])*$/su;

/**
 * Docker refuses a pattern that `filepath.Match(pattern, ".")` refuses, and Match reads no further than it needs: the part
 * up to the first `*` that is not in front, and the next one where that part stands for the dot.
 */
function isRefused(pattern: string): boolean {
  const [first = '', second = ''] = pattern.match(/(?:\\.|\[(?:\\.|[^\]\\])*\]?|[^*\\[]|\\$)+/gsu) ?? [];
  return !wellFormed.test(first) || (/^(?:\?|\\?\.)$/.test(first) && !wellFormed.test(second));
}

/**
 * Characters that Docker escapes on their way into a regular expression. `|`, `{` and `}` are in moby's list too, but its
 * table has no room for them: beside a wildcard they keep their meaning there, and so they do here.
 */
const plain = /^[.+()$]$/;

/** Go's `filepath.Clean`: no `.`, no doubled or last slash, `..` resolved. */
export function clean(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

type Kind = 'exact' | 'prefix' | 'suffix' | 'regexp';

const wildcards: Record<string, string> = { '*': '[^/]*', '?': '[^/]' };

/** The regular expression of a pattern in Go's syntax, and whether a plain comparison does instead. */
function translate(pattern: string): { kind: Kind; source: string } {
  let kind: Kind = 'exact';
  let source = '^';
  for (const { 0: token, index } of pattern.matchAll(/\*\*\/?|\\.|./gsu)) {
    if (token.startsWith('**')) {
      const last = index + token.length === pattern.length;
      if (!last || kind !== 'exact') source += last ? '.*' : '(.*/)?';
      kind = last && kind === 'exact' ? 'prefix' : 'regexp';
      if (index === 0) kind = 'suffix';
    } else {
      source += wildcards[token] ?? (plain.test(token) ? `\\${token}` : token);
      if (/^(?:[*?[\]]|\\.)/su.test(token)) kind = 'regexp';
    }
  }
  return { kind, source: `${source}$` };
}

function predicate(pattern: string): (path: string) => boolean {
  const { kind, source } = translate(pattern);
  if (kind === 'exact') return (path) => path === pattern;
  if (kind === 'prefix') {
    const head = pattern.slice(0, -2);
    return (path) => path.startsWith(head);
  }
  if (kind === 'suffix') {
    const tail = pattern.slice(2);
    return (path) => path.endsWith(tail) || (tail.startsWith('/') && path === tail.slice(1));
  }
  const expression = goRegExp(source);
  return (path) => expression.test(path);
}

/**
 * @param line a pattern, perhaps with `!` before it; undefined for a blank one
 * @throws DockerignoreError where Docker would refuse it too; what only its expression shows is found, as there, when first asked
 */
export function dockerPattern(line: string): DockerPattern | undefined {
  const trimmed = line.trim();
  if (trimmed === '') return undefined;
  const cleaned = clean(trimmed);
  const negated = cleaned.startsWith('!');
  const text = negated ? cleaned.slice(1) : cleaned;
  const refuse = (cause?: unknown) => new DockerignoreError(trimmed, { cause });
  if (text === '' || isRefused(text)) throw refuse();
  let compiled: ((path: string) => boolean) | undefined;
  const compile = (): ((path: string) => boolean) => {
    try {
      return predicate(text);
    } catch (error) {
      throw refuse(error);
    }
  };
  return { text, negated, matches: (path) => (compiled ??= compile())(path) };
}
