/** Why a clone came to nothing, in words that a person can act on. Pure. */
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
  readonly code: number;
  /** The last lines of what it printed to say so. */
  readonly output: string;

  constructor(command: string, code: number, output: string) {
    super(`git ${command} ended with code ${code}: ${output}`);
    this.name = 'GitCommandError';
    this.code = code;
    this.output = output;
  }
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

/** The verdict on a command that reached for a remote repository. */
export function verdictOn(error: GitCommandError, attempt: Attempt): GitError {
  const broken = /error: object [0-9a-f]+: (.*)/.exec(error.output)?.[1];
  if (broken !== undefined && error.output.includes('fsck error')) {
    const message = `The repository is refused: git finds a broken or hostile object in it (${plain(broken)}).`;
    return new GitError('CloneFailed', message, { cause: error });
  }
  return attempt.git.transport === 'ssh' ? ofSsh(error, attempt) : ofHttps(error, attempt);
}

function ofSsh(error: GitCommandError, attempt: Attempt): GitError {
  const { git, sshLog } = attempt;
  const options = { cause: error };
  if (/Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/.test(sshLog))
    return new GitError('HostKeyChanged', hostKeyMessage(attempt), options);
  if (/Permission denied|Too many authentication failures|no supported methods remain/i.test(sshLog)) {
    const next =
      attempt.deployKey === null
        ? 'the project has no deploy key (make one with svc projects deploy-key generate PROJECT, and add its public half there)'
        : `it does not accept the project's deploy key (${attempt.deployKey}): add its public half there (svc projects deploy-key show)`;
    return new GitError('CloneFailed', `The Git host ${git.host} refused access: ${next}.`, options);
  }
  const connection =
    /(Connection (?:refused|timed out)|No route to host|Network is unreachable|Connection (?:closed|reset) by .*|Timeout, server .* not responding|kex_exchange_identification: .*|Operation timed out|Could not resolve hostname)/.exec(
      sshLog,
    )?.[1];
  if (connection !== undefined && !/Authenticated to/.test(sshLog))
    return new UnreachableError(
      `The Git host ${git.host} cannot be reached on port ${git.port}: ${plain(connection)}.`,
      options,
    );
  if (
    /not found|does not appear to be a git repository|does not exist|could not be found|no such (?:repository|project)|unrecognized command/i.test(
      error.output,
    )
  )
    return missing(attempt, 'or the deploy key may not read it', options);
  return other(error, attempt);
}

function hostKeyMessage({ knownAs, pinned, sshLog }: Attempt): string {
  const shown = /Server host key: (\S+) (SHA256:\S+)/.exec(sshLog);
  const now = shown ? `${shown[2] ?? ''} (${shown[1] ?? ''})` : 'an unknown one';
  return (
    `The host key of ${knownAs} has changed: this project knows ${pinned.join(', ')}, the host shows ${now}. ` +
    `Somebody may be answering in its place. If the host's owner confirms the new key, forget the old one with ` +
    `svc projects known-hosts remove PROJECT '${knownAs}', then deploy again.`
  );
}

function ofHttps(error: GitCommandError, attempt: Attempt): GitError {
  const { host } = attempt.git;
  const options = { cause: error };
  const { output } = error;
  if (/redirect/i.test(output)) {
    const message = `The Git host ${host} sends elsewhere (a redirect), which is not followed: use the repository's own address, which often ends with .git.`;
    return new GitError('CloneFailed', message, options);
  }
  if (/could not read Username|Authentication failed|terminal prompts disabled|error: 40[13]/i.test(output))
    return missing(
      attempt,
      'or it is private: give the project a deploy key and use its SSH address',
      options,
    );
  if (/not found|error: 404/i.test(output)) return missing(attempt, undefined, options);
  if (/SSL|certificate/i.test(output))
    return new GitError(
      'CloneFailed',
      `The certificate of the Git host ${host} cannot be trusted: ${plain(output)}.`,
      options,
    );
  if (/Failed to connect|Couldn't connect|Could not resolve|timed out|Recv failure|Empty reply/i.test(output))
    return new UnreachableError(
      `The Git host ${host} cannot be reached on port ${attempt.git.port}: ${plain(output)}.`,
      options,
    );
  return other(error, attempt);
}

function missing({ git }: Attempt, orElse: string | undefined, options: ErrorOptions): GitError {
  const rest = orElse === undefined ? '' : `, ${orElse}`;
  return new GitError('CloneFailed', `The Git host ${git.host} has no such repository${rest}.`, options);
}

function other(error: GitCommandError, { git }: Attempt): GitError {
  const message = `The repository cannot be cloned from ${git.host}: ${plain(error.output) || `git ended with code ${error.code}`}.`;
  return new GitError('CloneFailed', message, { cause: error });
}

/** The last line that says something, without what would break a sentence or a terminal. */
function plain(output: string): string {
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
    .replace(/^fatal: /, '')
    .replace(/\.$/, '')
    .slice(0, 300);
}
