/**
 * Why a host of https gave no repository. git says it in the words of libcurl, which differ with the TLS library that it is
 * linked with (GnuTLS in Debian, OpenSSL elsewhere). Pure.
 */
import type { GitUrl } from '../../specs/git-source.ts';
import {
  GitError,
  missing,
  other,
  plain,
  UnreachableError,
  type Attempt,
  type GitCommandError,
} from './failure.ts';

interface Rule {
  /** Of what git printed. */
  pattern: RegExp;
  /** A sentence without the full stop. */
  say: (git: GitUrl, said: string) => string;
}

/** The first one counts: what is said of certificates mentions TLS as well. */
const rules: readonly Rule[] = [
  {
    pattern: /redirect|error: 30[1278]\b/i,
    say: ({ host }) =>
      `The Git host ${host} sends elsewhere (a redirect), which is not followed: use the repository's own address, which often ends with .git`,
  },
  {
    pattern: /error: 429\b/,
    say: ({ host }) => `The Git host ${host} takes no more requests for now (status 429): deploy again later`,
  },
  {
    pattern: /error: 5\d\d\b/,
    say: ({ host }, said) =>
      `The Git host ${host} has trouble of its own (status ${/error: (5\d\d)/.exec(said)?.[1] ?? ''}): deploy again later`,
  },
  {
    pattern: /not valid: is this a git repository/,
    say: ({ host }) =>
      `What answers there at ${host} is no Git repository: use the repository's own address, which often ends with .git`,
  },
  {
    pattern: /(?:subject|host) ?name.*match|not match.*host ?name/i,
    say: ({ host }) =>
      `The certificate of the Git host ${host} cannot be trusted, for it is made for another name: use the name that it is made for`,
  },
  {
    pattern: /certificate/i,
    say: ({ host }, said) =>
      `The certificate of the Git host ${host} cannot be trusted (${said}). If its authority is a private one, the node's operator ` +
      `has to add that to the machine's (update-ca-certificates), or to the file that SSL_CERT_FILE names`,
  },
];

const denied = /could not read Username|Authentication failed|terminal prompts disabled|error: 40[13]\b/i;
const unreachable = /Failed to connect|Couldn't connect|Could not resolve|timed out|Connection timeout/i;
const slow = /Operation too slow/i;
const brokenOff =
  /non-properly terminated|Recv failure|Empty reply|early EOF|disconnect|hung up|RPC failed|Connection (?:reset|was reset)|SSL_|transfer closed/i;

/** The verdict on a command that reached for a repository over https. */
export function verdictOnHttps(error: GitCommandError, attempt: Attempt): GitError {
  const { git } = attempt;
  const { output } = error;
  const options = { cause: error };
  const said = plain(output);
  const rule = rules.find(({ pattern }) => pattern.test(output));
  if (rule) return new GitError('CloneFailed', `${rule.say(git, said)}.`, options);
  if (denied.test(output)) return missing(attempt, privately(git), options);
  if (/not found|error: 404/i.test(output)) return missing(attempt, undefined, options);
  if (slow.test(output))
    return new GitError(
      'CloneTimedOut',
      `The Git host ${git.host} sent nothing for too long: ${said}. Deploy again later.`,
      options,
    );
  if (unreachable.test(output))
    return new UnreachableError(
      `The Git host ${git.host} cannot be reached on port ${git.port}: ${said}.`,
      options,
    );
  if (brokenOff.test(output))
    return new GitError(
      'CloneFailed',
      `The Git host ${git.host} broke off the connection (${said}). Deploy again later.`,
      options,
    );
  return other(error, attempt);
}

/** Private repositories are cloned over ssh alone: a password in an address would stand in logs. */
function privately({ host, path }: GitUrl): string {
  return (
    `or it is private: then give the project a deploy key (svc projects deploy-key generate PROJECT), add its public half there, ` +
    `and use the SSH address, which usually is git@${host}:${path.replace(/^\/+/, '')}`
  );
}
