/** The git side of a walk: a repository (or none) with its rules and its tracked paths, seen from the directory it starts in. */
import { constants, existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { errorCode, PackError } from './error.ts';
import { repositoryOf, type GitOptions, type Repository } from './git.ts';
import { gitRules, type GitRules } from './gitignore.ts';

export interface WorkingTree {
  /** From the top of the working tree to the start: `''` or `a/b/`. */
  readonly prefix: string;
  /** Rules from above the start; those of the start's own .gitignore are not among them yet. */
  readonly rules: GitRules;
  /** @param path relative to the start */
  isTracked(path: string): boolean;
  /** Whether something below this directory is tracked. */
  holdsTracked(directory: string): boolean;
  /** There is a repository and no git to ask what it tracks. */
  readonly blind: boolean;
}

/** Text of an ignore file; undefined where there is none. git follows no symbolic link to a .gitignore, only to the others. */
async function read(path: string, followLinks: boolean): Promise<string | undefined> {
  try {
    const file = await open(
      path,
      constants.O_RDONLY | constants.O_NONBLOCK | (followLinks ? 0 : constants.O_NOFOLLOW),
    );
    try {
      return await readFile(file, 'utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'EMLINK'].includes(errorCode(error) ?? '')) return undefined;
    throw new PackError(`Cannot read ${path}: ${String(error)}`, 'Make it readable, or remove it.', {
      cause: error,
    });
  }
}

/** @returns the rules with those of a directory's .gitignore over them */
export async function withGitignore(rules: GitRules, directory: string, inTree: string): Promise<GitRules> {
  const text = await read(join(directory, '.gitignore'), false);
  return text === undefined ? rules : rules.with(inTree, text);
}

/** A repository as far as it can be read without git: nothing is known to be tracked. */
function unaided(directory: string): Repository | undefined {
  let top = directory;
  while (!existsSync(join(top, '.git'))) {
    if (top === dirname(top)) return undefined;
    top = dirname(top);
  }
  const prefix = relative(top, directory);
  return {
    prefix: prefix === '' ? '' : `${prefix}/`,
    infoExclude: join(top, '.git/info/exclude'),
    excludesFile: undefined,
    ignoreCase: false,
    tracked: new Set(),
  };
}

async function rulesAbove(directory: string, repository: Repository): Promise<GitRules> {
  let rules = gitRules(repository.ignoreCase);
  for (const path of [repository.excludesFile, repository.infoExclude]) {
    const text = path === undefined ? undefined : await read(path, true);
    if (text !== undefined) rules = rules.with('', text);
  }
  const parts = repository.prefix.split('/').filter((part) => part !== '');
  for (let depth = 0; depth < parts.length; depth += 1) {
    const above = join(directory, ...parts.slice(depth).map(() => '..'));
    rules = await withGitignore(rules, above, parts.slice(0, depth).join('/'));
  }
  // Who names an ignored directory wants what is in it: it is packed as if nothing above it were ignored.
  return repository.prefix !== '' && rules.ignores(repository.prefix)
    ? gitRules(repository.ignoreCase)
    : rules;
}

function ancestors(paths: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const directory = path.slice(0, end);
      if (found.has(directory)) break;
      found.add(directory);
    }
  }
  return found;
}

/**
 * @param directory absolute path of the start
 * @returns undefined where the directory lies in no repository
 * @throws PackError where the repository cannot be read
 */
export async function workingTreeOf(
  directory: string,
  options: GitOptions,
): Promise<WorkingTree | undefined> {
  const answer = await repositoryOf(directory, options);
  const repository = answer === 'no-git' ? unaided(directory) : answer;
  if (repository === undefined || repository === 'none') return undefined;
  const { prefix, tracked } = repository;
  let directories: Set<string> | undefined;
  return {
    prefix,
    rules: await rulesAbove(directory, repository),
    isTracked: (path) => tracked.has(path),
    holdsTracked: (path) => (directories ??= ancestors(tracked)).has(path),
    blind: answer === 'no-git',
  };
}

/** Outside of any repository: only the .gitignore files on the way down count. */
export const noWorkingTree: WorkingTree = {
  prefix: '',
  rules: gitRules(false),
  isTracked: () => false,
  holdsTracked: () => false,
  blind: false,
};
