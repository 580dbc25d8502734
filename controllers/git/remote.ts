/**
 * One remote repository, reached under our rules: its host is looked up and judged, git and ssh are pinned to what was found,
 * and the host's key is compared with the one that the project knows, or kept when this is its first use.
 */
import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Clock } from '../../specs/clock.ts';
import type { GitUrl } from '../../specs/git-source.ts';
import type { Cidr } from '../network/addresses.ts';
import { addressesOf, type Lookup } from './host-addresses.ts';
import { gitIn } from './command.ts';
import {
  environment,
  gitConfig,
  knownHostName,
  shellQuoted,
  sshConfig,
  type HomePaths,
} from './environment.ts';
import { GitCommandError, GitError, UnreachableError, type Attempt } from './failure.ts';
import { writePrivate } from './home.ts';
import { pinFirst } from './host-keys.ts';
import type { KnownHosts } from './known-hosts.ts';
import { killProcessesOf } from './processes.ts';
import { verdictOn } from './verdicts.ts';

const exec = promisify(execFile);

export interface RemoteDeps {
  home: HomePaths;
  projectId: string;
  /** Fingerprint of the deploy key that lies in the home; null when the project has none. */
  deployKey: string | null;
  knownHosts: KnownHosts;
  lookup: Lookup;
  allow: readonly Cidr[];
  /** Where git and ssh are. */
  path: string;
  /** PEM file with the authorities that hosts of https are trusted by; undefined: those of the machine. */
  certificateFile: string | undefined;
  clock: Clock;
  signal: AbortSignal;
  onLine: (line: string) => void;
}

export interface Remote {
  git: GitUrl;
  /** Runs a command that talks to the repository. Throws GitError, which is a verdict. */
  run(dir: string, args: readonly string[]): Promise<string>;
  /** Runs one whose answer is short, and must come within a minute. Throws GitError. */
  ask(dir: string, args: readonly string[]): Promise<string>;
  /** By ssh alone: asks the host where its LFS server is, and what to say to it. @returns JSON. Throws GitError */
  lfsAuthenticate(): Promise<string>;
}

/**
 * Milliseconds for a short answer: connection, handshake and all. libcurl waits five minutes for a handshake, ssh for as
 * long as a server that is connected likes.
 */
const longestAsk = 60_000;

/** Throws GitError when its host may not be fetched from. */
export async function reach(git: GitUrl, deps: RemoteDeps): Promise<Remote> {
  const addresses = await addressesOf(git, deps);
  const isSsh = git.transport === 'ssh';
  /** Which of the addresses answered; git itself tries all of them over https. */
  let answered: string | undefined = isSsh ? undefined : addresses[0];
  const contact = async (run: () => Promise<string>): Promise<string> => {
    const tries = answered === undefined ? addresses : [answered];
    for (const [index, address] of tries.entries()) {
      try {
        const output = await attempt(git, isSsh ? [address] : addresses, run, deps);
        answered = address;
        return output;
      } catch (error) {
        if (!(error instanceof UnreachableError) || index === tries.length - 1) throw error;
      }
    }
    throw new Error('a host without addresses was let through');
  };
  const { home, path, signal } = deps;
  const env = environment(home, path);
  const onLine = withoutMisleading(deps.onLine);
  return {
    git,
    run: (dir, args) => contact(() => gitIn({ dir, env, signal, onLine }).run(args)),
    ask: (dir, args) =>
      contact(() => inTime(git, deps, (within) => gitIn({ dir, env, signal: within, onLine }).run(args))),
    lfsAuthenticate: () => contact(() => lfsAuthenticate(git, home, env, signal)),
  };
}

/** Gives a signal that aborts as `signal` does, or when the host has had its time; then all that runs for it is killed. */
async function inTime<T>(
  { host }: GitUrl,
  { home, clock, signal }: RemoteDeps,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const cancel = clock.after(longestAsk, () => {
    const message = `The Git host ${host} gave no answer within ${longestAsk / 1000} s: check its name and port, and that this machine reaches it.`;
    late.abort(new GitError('CloneTimedOut', message));
    // git hears of an abort, but not what it has started.
    killProcessesOf(home.dir, clock).catch(() => undefined);
  });
  try {
    return await work(AbortSignal.any([signal, late.signal]));
  } finally {
    cancel();
  }
}

/**
 * What git says whenever ssh fails, whatever the reason, and of the questions that it is not to ask: it misleads, and the verdict
 * says what it was.
 */
const misleading =
  /^(?:fatal: Could not read from remote repository\.|Please make sure you have the correct access rights|and the repository exists\.|error: unable to read askpass response from .*|fatal: could not read Username for .*)$/;

function withoutMisleading(onLine: (line: string) => void): (line: string) => void {
  return (line) => {
    if (!misleading.test(line)) onLine(line);
  };
}

/** Configured anew each time: the configuration belongs to one host at a time. */
async function attempt(
  git: GitUrl,
  addresses: readonly string[],
  run: () => Promise<string>,
  deps: RemoteDeps,
): Promise<string> {
  const { home, projectId, knownHosts, deployKey, certificateFile } = deps;
  const knownAs = knownHostName(git);
  const known = git.transport === 'ssh' ? await knownHosts.find(projectId, knownAs) : undefined;
  await rm(home.sshLog, { force: true });
  await writePrivate(home.gitConfig, gitConfig(home, git, addresses, certificateFile));
  await writePrivate(home.knownHosts, (known?.lines ?? []).map((line) => `${line}\n`).join(''));
  const target = {
    ...{ git, knownAs, address: addresses[0] ?? '' },
    hasKey: deployKey !== null,
    isKnown: known !== undefined,
  };
  await writePrivate(home.sshConfig, sshConfig(home, target));
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof GitCommandError)) throw error;
    throw verdictOn(error, await attemptOf(git, knownAs, known?.fingerprints ?? [], deps));
  } finally {
    if (git.transport === 'ssh' && !known)
      await pinFirst(knownAs, { address: target.address, port: git.port }, deps);
  }
}

/** Bytes of its answer. */
const longestAnswer = 64 * 1024;

async function lfsAuthenticate(
  { user, host, port, path }: GitUrl,
  { sshConfig: config, sshLog }: HomePaths,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const whom = user === null ? host : `${user}@${host}`;
  const command = `git-lfs-authenticate ${shellQuoted(path)} download`;
  try {
    const args = ['-F', config, '-E', sshLog, '-p', String(port), '--', whom, command];
    return (await exec('ssh', args, { env, signal, maxBuffer: longestAnswer })).stdout;
  } catch (error) {
    signal.throwIfAborted();
    const { code, stderr } = error as { code?: unknown; stderr?: unknown };
    throw new GitCommandError(
      'lfs-authenticate',
      typeof code === 'number' ? code : 1,
      typeof stderr === 'string' ? stderr : '',
    );
  }
}

async function attemptOf(
  git: GitUrl,
  knownAs: string,
  pinned: readonly string[],
  { home, deployKey }: RemoteDeps,
): Promise<Attempt> {
  const sshLog = await readFile(home.sshLog, 'utf8').catch(() => '');
  return { git, knownAs, deployKey, pinned, sshLog };
}
