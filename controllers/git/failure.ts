/** What a clone that came to nothing ends with, and words that its verdicts share. Pure. */
import type { DeploymentReason } from '../../specs/reasons.ts';
import type { GitUrl } from '../../specs/git-source.ts';

/** A verdict on a clone: trying again as it is leads to the same. */
export class GitError extends Error {
  readonly reason: (typeof DeploymentReason)[
    'CloneFailed' | 'CloneTimedOut' | 'CloneTooLarge' | 'HostKeyChanged'];

  constructor(reason: GitError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GitError';
    this.reason = reason;
  }
}

/** git ended with a code other than 0. */
export class GitCommandError extends Error {
  /** Null: a signal has ended it. */
  readonly code: number | null;
  /** The last lines of what it printed to say so. */
  readonly output: string;

  constructor(command: string, code: number | null, output: string) {
    super(`git ${command} ${endingOf(code)}: ${output}`);
    this.name = 'GitCommandError';
    this.code = code;
    this.output = output;
  }

  /** How it ended, after its name. */
  get ending(): string {
    return endingOf(this.code);
  }
}

function endingOf(code: number | null): string {
  return code === null ? 'was ended by a signal' : `ended with code ${code}`;
}

/** The host did not answer at this address; another one may. */
export class UnreachableError extends GitError {
  constructor(message: string, options?: ErrorOptions) {
    super('CloneFailed', message, options);
    this.name = 'UnreachableError';
  }
}

export interface Attempt {
  git: GitUrl;
  /** The host as known_hosts names it. */
  knownAs: string;
  /** Fingerprint of the project's deploy key; null without one. */
  deployKey: string | null;
  /** Fingerprints of the host that the project knows; empty before its first use. */
  pinned: readonly string[];
  /** What ssh told of the connection; empty for https. */
  sshLog: string;
}

/** @param orElse what it may be besides */
export function missing({ git }: Attempt, orElse: string | undefined, options: ErrorOptions): GitError {
  const rest = orElse === undefined ? '' : `, ${orElse}`;
  return new GitError('CloneFailed', `The Git host ${git.host} has no such repository${rest}.`, options);
}

export function other(error: GitCommandError, { git }: Attempt): GitError {
  const message = `The repository cannot be cloned from ${git.host}: ${plain(error.output) || `git ${error.ending}`}.`;
  return new GitError('CloneFailed', message, { cause: error });
}

/** The last line that says something, without what would break a sentence or a terminal. */
export function plain(output: string): string {
  const lines = output
    .split(/[\r\n]+/)
    .map((line) => line.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ').trim())
    .filter(
      (line) =>
        line !== '' &&
        !/^(?:Please make sure|and the repository exists|fatal: Could not read from remote)/.test(line),
    );
  const last = lines.findLast((line) => line.startsWith('fatal:')) ?? lines.at(-1) ?? '';
  return last
    .replace(/^fatal: (?:unable to access '[^']*': )?/, '')
    .replace(/\.$/, '')
    .slice(0, 300);
}
