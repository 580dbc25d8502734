/**
 * What git knows of a working tree: where its top is, what is tracked, which exclude files count. Only asks git itself, with
 * an environment of its own and with everything off by which a repository could make git run a program.
 */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { errorCode, PackError } from './error.ts';

export interface Repository {
  /** Path from the top of the working tree to the directory asked about: `''` or `a/b/`. */
  readonly prefix: string;
  /** Absolute path of `info/exclude`; it need not be there. */
  readonly infoExclude: string;
  /** Absolute path of the user's excludes file (core.excludesFile or its default); it need not be there. */
  readonly excludesFile: string | undefined;
  /** core.ignoreCase. */
  readonly ignoreCase: boolean;
  /** Tracked paths below the directory asked about, relative to it. A submodule is one path. */
  readonly tracked: ReadonlySet<string>;
}

/** A directory in no working tree; or no git to ask. */
export type NoRepository = 'none' | 'no-git';

export interface GitOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
}

/** Where git reads its settings from, and how it knows who asks (SUDO_UID: whose repositories root may trust). */
const passedOn = [
  'PATH',
  'HOME',
  'XDG_CONFIG_HOME',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'SUDO_UID',
];

interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function git(directory: string, args: readonly string[], options: GitOptions): Promise<Answer | 'no-git'> {
  const env: NodeJS.ProcessEnv = { LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' };
  for (const name of passedOn) if (options.env[name] !== undefined) env[name] = options.env[name];
  const safe = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', ...args];
  const settings = {
    cwd: directory,
    env,
    maxBuffer: Infinity,
    ...(options.signal && { signal: options.signal }),
  };
  return new Promise((done, fail) => {
    execFile('git', safe, settings, (error, out, err) => {
      if (!error) done({ code: 0, out, err });
      else if (errorCode(error) === 'ENOENT') done('no-git');
      else if (typeof error.code === 'number') done({ code: error.code, out, err });
      else
        fail(
          new PackError(`git could not be run: ${error.message}`, 'See whether `git --version` works.', {
            cause: error,
          }),
        );
    });
  });
}

function failed(directory: string, err: string): PackError {
  const said = err.trim().split('\n')[0] ?? '';
  const hint = err.includes('safe.directory')
    ? `If you trust the repository, run: git config --global --add safe.directory ${directory}`
    : 'Run `git status` there and mend what it complains about.';
  return new PackError(`git cannot read the repository of ${directory}: ${said}`, hint);
}

/** core.excludesFile, else the default that gitignore(5) names. */
function excludesFile(answer: Answer, env: NodeJS.ProcessEnv): string | undefined {
  if (answer.code === 0) return answer.out.slice(0, -1);
  if (env['XDG_CONFIG_HOME']) return resolve(env['XDG_CONFIG_HOME'], 'git/ignore');
  return env['HOME'] ? resolve(env['HOME'], '.config/git/ignore') : undefined;
}

/**
 * @param directory absolute path of an existing directory
 * @throws PackError where there is a repository that git refuses to read
 */
export async function repositoryOf(
  directory: string,
  options: GitOptions,
): Promise<Repository | NoRepository> {
  const ask = (...args: string[]): Promise<Answer | 'no-git'> => git(directory, args, options);
  const where = await ask(
    'rev-parse',
    '--is-inside-work-tree',
    '--show-prefix',
    '--git-path',
    'info/exclude',
  );
  if (where === 'no-git') return 'no-git';
  const [inside, prefix = '', exclude = ''] = where.out.split('\n');
  if (where.code === 0 && inside !== 'true') return 'none';
  if (where.code !== 0 && /not a git repository|invalid gitfile format/.test(where.err)) return 'none';
  if (where.code !== 0) throw failed(directory, where.err);
  const [excludes, ignoreCase, listed] = await Promise.all([
    ask('config', '--type=path', '--get', 'core.excludesFile'),
    ask('config', '--type=bool', '--get', 'core.ignoreCase'),
    ask('ls-files', '-z'),
  ]);
  if (excludes === 'no-git' || ignoreCase === 'no-git' || listed === 'no-git') return 'no-git';
  if (listed.code !== 0) throw failed(directory, listed.err);
  return {
    prefix,
    infoExclude: resolve(directory, exclude),
    excludesFile: excludesFile(excludes, options.env),
    ignoreCase: ignoreCase.out.trim() === 'true',
    tracked: new Set(listed.out.split('\0').filter((path) => path !== '')),
  };
}
