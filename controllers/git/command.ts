/**
 * Runs git, by simple-git: the only file that does. Arguments are ours, or were let through by specs/git-source.ts; what git
 * prints is handed on line by line, and is bounded, for a stranger's server has a say in it.
 */
import { simpleGit, type SimpleGitOptions } from 'simple-git';
import { allowedByGuard } from './environment.ts';
import { GitCommandError, GitError } from './failure.ts';

export interface Git {
  /** @returns what it printed. Throws GitCommandError; what the signal aborts with; GitError when it prints without end */
  run(args: readonly string[]): Promise<string>;
}

export interface GitOptions {
  /** The repository, or any directory for commands that need none. */
  dir: string;
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
  /** Takes each line of what git says beside its output: of the host, warnings, errors. */
  onLine: (line: string) => void;
  /** What to say when a command prints without end; the host is blamed unless told otherwise. */
  endless?: string;
}

/** Characters of all output of one command; simple-git keeps them in memory. */
const mostOutput = 32 * 2 ** 20;
/** Characters of messages that an error quotes. */
const quoted = 4_000;
/** Characters of one line of the log. */
const longestLine = 1_000;
/** Lines that are handed on of one command. */
const mostLines = 500;

export function gitIn({
  dir,
  env,
  signal,
  onLine,
  endless = 'The Git host talks without end.',
}: GitOptions): Git {
  return {
    async run(args) {
      signal.throwIfAborted();
      const stop = new AbortController();
      const said = collector(onLine);
      let printed = 0;
      let code: number | null = null;
      const count = (chunk: Buffer): void => {
        printed += chunk.length;
        if (printed > mostOutput) stop.abort(new GitError('CloneTooLarge', endless));
      };
      const options: Partial<SimpleGitOptions> = {
        ...allowedByGuard,
        baseDir: dir,
        abort: AbortSignal.any([signal, stop.signal]),
        completion: { onClose: true, onExit: false },
        // Without it a command that fails in silence counts as done.
        errors(error, { exitCode }) {
          code = exitCode;
          return (
            error ?? (exitCode === 0 ? undefined : new GitCommandError(args[0] ?? '', exitCode, said.tail()))
          );
        },
      };
      const git = simpleGit(options).env(env);
      git.outputHandler((_, stdout, stderr) => {
        stdout.on('data', count);
        stderr.on('data', count);
        stderr.on('data', said.take);
      });
      try {
        return await git.raw([...args]);
      } catch (error) {
        signal.throwIfAborted();
        stop.signal.throwIfAborted();
        throw commandError(error, new GitCommandError(args[0] ?? '', code, said.tail()));
      } finally {
        said.end();
      }
    },
  };
}

/** simple-git wraps what `errors` answers; a program that is missing is its own error. */
function commandError(error: unknown, failed: GitCommandError): Error {
  const text = error instanceof Error ? error.message : String(error);
  if (/ENOENT/.test(text))
    return new GitError(
      'CloneFailed',
      'git is not installed on the node: its operator has to install git and openssh-client.',
      { cause: error },
    );
  return failed;
}

interface Collector {
  take: (chunk: Buffer) => void;
  /** The last line, which may have no end. */
  end: () => void;
  tail: () => string;
}

/** Cuts output into lines, and keeps its end. */
function collector(onLine: (line: string) => void): Collector {
  let rest = '';
  let tail = '';
  let lines = 0;
  const say = (line: string): void => {
    if (line.trim() !== '' && lines++ < mostLines) onLine(line.slice(0, longestLine));
  };
  return {
    take(chunk: Buffer): void {
      const text = chunk.toString('utf8');
      tail = (tail + text).slice(-quoted);
      const parts = (rest + text).split(/\r\n|\r|\n/);
      rest = (parts.pop() ?? '').slice(0, longestLine);
      for (const part of parts) say(part);
    },
    end(): void {
      say(rest);
      rest = '';
    },
    tail: () => tail,
  };
}
