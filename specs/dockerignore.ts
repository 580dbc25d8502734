/** A whole .dockerignore, asked about one path at a time while a tree is walked from the top. Reads nothing. */
import { clean, dockerPattern, type DockerPattern } from './dockerignore/pattern.ts';

/** Which patterns matched a directory or one above it: what its children are asked with. */
export type Inherited = readonly boolean[];

interface DockerVerdict {
  readonly ignored: boolean;
  /** For the children, where the path is a directory. */
  readonly inherited: Inherited;
}

export interface Dockerignore {
  /** For the children of the context directory itself. */
  readonly top: Inherited;
  /** @param path relative to the context directory, no slash at either end */
  check(path: string, parent: Inherited): DockerVerdict;
  /** Whether a `!` pattern could take something below this ignored directory back in. */
  mayReinclude(directory: string): boolean;
}

/**
 * The patterns in the text of a .dockerignore: comments and blank lines gone, paths cleaned, a first `/` dropped.
 * Rules: https://docs.docker.com/build/concepts/context/#dockerignore-files
 */
export function dockerignoreLines(text: string): string[] {
  const lines: string[] = [];
  for (const raw of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const line = raw.startsWith('#') ? '' : raw.trim();
    if (line === '') continue;
    const mark = line.startsWith('!') ? '!' : '';
    const rest = line.slice(mark.length).trim();
    const path = rest === '' ? '' : clean(rest);
    lines.push(mark + (path.length > 1 && path.startsWith('/') ? path.slice(1) : path));
  }
  return lines;
}

/** How BuildKit shortens a `!` pattern before it decides that a directory need not be entered. */
function stem(pattern: DockerPattern): string {
  return pattern.text.replace(/\/\*\*$/, '').replace(/\/\*$/, '');
}

/** @throws DockerignoreError for a pattern that Docker refuses; some are found only when they are first asked */
export function dockerignore(lines: readonly string[]): Dockerignore {
  const patterns = lines.map(dockerPattern).filter((pattern) => pattern !== undefined);
  const stems = patterns.filter((pattern) => pattern.negated).map(stem);
  const anywhere = stems.some((text) => /[*[\]?^\\]/.test(text));
  return {
    top: patterns.map(() => false),
    check(path, parent) {
      let ignored = false;
      const inherited = patterns.map((pattern, i) => {
        // A pattern that could change nothing is not asked, and what is not asked is not inherited: Docker's walk.
        const match = parent[i] === true || (pattern.negated === ignored && pattern.matches(path));
        if (match) ignored = !pattern.negated;
        return match;
      });
      return { ignored, inherited };
    },
    mayReinclude: (directory) => anywhere || stems.some((text) => `${text}/`.startsWith(`${directory}/`)),
  };
}
