/**
 * Clones a Git source into archives that a build can read: the repository and each of its submodules, one tar each. Nothing of
 * a stranger's tree is ever checked out: no links are followed, no filters run, and a tree that unfolds into billions of
 * files meets a limit. The deploy key is on disk for as long as the clone runs.
 */
import { join } from 'node:path';
import type { GitSource } from '../../specs/deployment.ts';
import { parseGitUrl, refFault, type GitUrl } from '../../specs/git-source.ts';
import type { Clock } from '../../specs/clock.ts';
import type { Cidr } from '../network/addresses.ts';
import type { Lookup } from './host-addresses.ts';
import { defaultCloneLimits, watchBounds, type CloneLimits } from './bounds.ts';
import { gitIn, type Git } from './command.ts';
import { environment } from './environment.ts';
import { GitError } from './failure.ts';
import { makeDirectories, sweepClones, writeKey, type CloneDirectories, type CloneRoots } from './home.ts';
import type { KnownHosts } from './known-hosts.ts';
import { reach, type RemoteDeps } from './remote.ts';
import { fetchLfs } from './lfs.ts';
import { fetchRepository, type Wanted } from './repository.ts';
import { archiveTree, type Fetched } from './archive.ts';

export interface CloneRequest {
  /** Id of the deployment: names its directories. */
  id: string;
  projectId: string;
  source: Pick<GitSource, 'repo_url' | 'git_ref'>;
  /** The commit that was settled before; null at the first time. */
  commit: string | null;
  /** Told which commit it is, before anything is made of it. */
  onCommit: (commit: string) => Promise<void>;
  onLine: (line: string) => void;
  signal: AbortSignal;
}

export interface Checkout {
  commit: string;
  /** Paths of tar archives: the repository's, then those of its submodules, with the paths that these have in it. */
  archives: string[];
  /** Directory of the files that are pointed at in them (Git LFS), by checksum; perhaps not there. */
  objects: string;
  /** Removes them. */
  remove(): Promise<void>;
}

export interface Clones {
  /** Throws GitError, which is a verdict, or what the signal aborts with; nothing stays behind then. */
  clone(request: CloneRequest): Promise<Checkout>;
}

export interface ClonesOptions {
  roots: CloneRoots;
  knownHosts: KnownHosts;
  /** The private half of a project's deploy key; null when it has none. Throws when it cannot be opened. */
  deployKey: (projectId: string) => Promise<{ key: string; fingerprint: string } | null>;
  lookup: Lookup;
  /** Ranges that are open although they are special. */
  allow: readonly Cidr[];
  /** Where git and ssh are found. */
  path: string;
  /** PEM file with the authorities that hosts of https are trusted by; undefined: those of the machine. */
  certificateFile?: string | undefined;
  clock: Clock;
  limits?: Partial<CloneLimits>;
}

/** Removes what an earlier control plane has left, and is ready to clone. */
export async function openClones(options: ClonesOptions): Promise<Clones> {
  await sweepClones(options.roots, options.clock);
  const limits = { ...defaultCloneLimits, ...options.limits };
  return {
    async clone(request) {
      const directories = await makeDirectories(options.roots, request.id, options.clock);
      const watch = watchBounds({ home: directories.home.dir, work: directories.work }, limits, {
        clock: options.clock,
        signal: request.signal,
      });
      // At once, and all of it: git hears of an abort as well, but not what it has started.
      const kill = (): void => void directories.closeHome().catch(() => undefined);
      watch.signal.addEventListener('abort', kill, { once: true });
      try {
        const checkout = await cloneInto(directories, { ...request, signal: watch.signal }, options, limits);
        await watch.check();
        await directories.closeHome();
        return { ...checkout, remove: directories.remove };
      } catch (error) {
        await directories.remove();
        watch.signal.throwIfAborted();
        throw error;
      } finally {
        watch.signal.removeEventListener('abort', kill);
        watch.stop();
      }
    },
  };
}

/** Of a command that talks to nobody. */
const tooLong =
  'The names of the files of the repository, or its .gitmodules, are too long to read: make it smaller, or push a part of it with svc push.';

async function cloneInto(
  { home, work }: CloneDirectories,
  request: CloneRequest,
  options: ClonesOptions,
  limits: CloneLimits,
): Promise<Omit<Checkout, 'remove'>> {
  const { projectId, source, signal, onLine } = request;
  // Checked when it was asked for. Again, because this is where it matters.
  const parsed = parseGitUrl(source.repo_url);
  const fault = 'fault' in parsed ? parsed.fault : refFault(source.git_ref);
  if ('fault' in parsed || fault !== undefined)
    throw new GitError('CloneFailed', `The address of the repository ${fault ?? 'is not taken'}.`);
  const deployKey = await options.deployKey(projectId);
  if (deployKey !== null) await writeKey(home.key, deployKey.key);
  const { knownHosts, lookup, allow, path, certificateFile, clock } = options;
  const deps: RemoteDeps = {
    ...{ home, projectId, knownHosts, lookup, allow, path, certificateFile, clock, signal, onLine },
    deployKey: deployKey?.fingerprint ?? null,
  };
  const local = (dir: string): Git =>
    gitIn({ dir, env: environment(home, path), signal, onLine, endless: tooLong });
  const fetch = async (git: GitUrl, wanted: Wanted, name: string): Promise<Fetched> => {
    const remote = await reach(git, deps);
    return { remote, repository: await fetchRepository(remote, wanted, join(work, name), local) };
  };

  onLine(`Cloning ${source.repo_url} at ${request.commit ?? source.git_ref}`);
  const wanted = request.commit === null ? { ref: source.git_ref } : { commit: request.commit };
  const root = await fetch(parsed.git, wanted, 'root.git');
  const { commit } = root.repository;
  onLine(`Commit ${commit}`);
  await request.onCommit(commit);
  const objects = join(work, 'lfs');
  const archives = await archiveTree(root, {
    ...{ work, local, fetch, limits, onLine },
    fetchLfs: (archive, remote) =>
      fetchLfs(archive, remote, { objects, lookup, allow, limits, signal, onLine }),
  });
  return { commit, archives, objects };
}
