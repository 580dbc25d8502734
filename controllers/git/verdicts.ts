/** Why a clone came to nothing, in words that a person can act on: for git itself, and for hosts of ssh. Pure. */
import {
  GitError,
  missing,
  other,
  plain,
  UnreachableError,
  type Attempt,
  type GitCommandError,
} from './failure.ts';
import { verdictOnHttps } from './verdict-https.ts';

/** The verdict on a command that reached for a remote repository. */
export function verdictOn(error: GitCommandError, attempt: Attempt): GitError {
  const broken = /error: object [0-9a-f]+: (.*)/.exec(error.output)?.[1];
  if (broken !== undefined && error.output.includes('fsck error')) {
    const message = `The repository is refused: git finds a broken or hostile object in it (${plain(broken)}).`;
    return new GitError('CloneFailed', message, { cause: error });
  }
  return attempt.git.transport === 'ssh' ? ofSsh(error, attempt) : verdictOnHttps(error, attempt);
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
        : `it does not accept the project's deploy key (${attempt.deployKey}): add its public half there (svc projects deploy-key show PROJECT)`;
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
