/** Makes archives of a repository and, in its order, of each submodule below it. */
import { join } from 'node:path';
import { isCommit, type GitUrl } from '../../specs/git-source.ts';
import type { Git } from './command.ts';
import { excess, type CloneLimits } from './bounds.ts';
import { GitCommandError, GitError, plain } from './failure.ts';
import type { Remote } from './remote.ts';
import type { Repository, Wanted } from './repository.ts';
import { submodulesIn, type Submodule } from './submodules.ts';

export interface ArchiveDeps {
  /** Directory for archives and repositories. */
  work: string;
  /** Runs commands that reach for nobody. */
  local: (dir: string) => Git;
  /** Fetches a repository into a directory of this name. */
  fetch: (git: GitUrl, wanted: Wanted, name: string) => Promise<Fetched>;
  /** Fetches what an archive only points at. */
  fetchLfs: (archive: string, remote: Remote) => Promise<void>;
  limits: CloneLimits;
  onLine: (line: string) => void;
}

/** A repository, and where it is from. */
export interface Fetched {
  remote: Remote;
  repository: Repository;
}

/** Submodules of a repository, all levels together, and levels of them. */
const mostModules = 100;
const mostLevels = 8;

/** @returns the paths of the archives. Throws GitError */
export async function archiveTree(root: Fetched, deps: ArchiveDeps): Promise<string[]> {
  const archives: string[] = [];
  const size = { bytes: 0, files: 0 };
  const add = async ({ remote, repository }: Fetched, prefix: string, level: number): Promise<void> => {
    if (archives.length > mostModules)
      throw new GitError(
        'CloneFailed',
        `The repository has more than ${mostModules} submodules: use fewer of them.`,
      );
    const { dir, commit } = repository;
    const archive = join(deps.work, `${archives.length}.tar`);
    archives.push(archive);
    const below = prefix === '' ? [] : [`--prefix=${prefix}/`];
    size.files += await filesIn(deps.local(dir), commit);
    const fault = excess(size, deps.limits);
    if (fault !== undefined) throw new GitError('CloneTooLarge', fault);
    const submodules = await submodulesOf({ remote, repository }, deps);
    // Their own archives have their directories.
    const others = submodules.map(([{ path }]) => `:(exclude,literal)${path}`);
    const what = others.length === 0 ? [] : ['--', '.', ...others];
    await deps
      .local(dir)
      .run(['archive', '--format=tar', ...below, `--output=${archive}`, commit, ...what])
      .catch(unreadable);
    await deps.fetchLfs(archive, remote);
    for (const [submodule, wanted] of submodules) {
      const path = prefix === '' ? submodule.path : `${prefix}/${submodule.path}`;
      if (level === mostLevels)
        throw new GitError(
          'CloneFailed',
          `Submodules lie in submodules more than ${mostLevels} levels deep: use fewer levels.`,
        );
      deps.onLine(`Cloning submodule ${path} from ${submodule.git.url} at ${wanted}`);
      await add(
        await deps.fetch(submodule.git, { commit: wanted }, `${archives.length}.git`),
        path,
        level + 1,
      );
    }
  };
  await add(root, '', 0);
  return archives;
}

/**
 * Counted before anything is made of them: a tree of a few kilobytes can unfold into billions of files, whose names git would
 * hold in memory, all of them, to archive them.
 */
async function filesIn(git: Git, commit: string): Promise<number> {
  const names = await git.run(['ls-tree', '-r', '-z', '--name-only', commit]).catch(unreadable);
  return names.split('\0').length - 1;
}

/** The host has given it out, and git makes nothing of it: a tree that is too deep for its stack, a disk that is full. */
function unreadable(error: unknown): never {
  if (!(error instanceof GitCommandError)) throw error;
  const why = plain(error.output) || `git ${error.ending}`;
  const message = `The files of the repository cannot be read (${why}): look at its tree, or push a part of it with svc push.`;
  throw new GitError('CloneFailed', message, { cause: error });
}

/** Those that the commit has, each with the commit that it is at. */
async function submodulesOf(
  { remote: { git }, repository: { dir, commit } }: Fetched,
  { local }: ArchiveDeps,
): Promise<[Submodule, string][]> {
  const entry = await local(dir).run(['ls-tree', commit, '--', '.gitmodules']);
  if (!/^100(?:644|755) blob /.test(entry)) return [];
  const listing = await local(dir)
    .run(['config', '--null', '--no-includes', `--blob=${commit}:.gitmodules`, '--list'])
    .catch((error: unknown) => {
      if (!(error instanceof GitCommandError)) throw error;
      throw new GitError(
        'CloneFailed',
        'The file .gitmodules of the repository cannot be read: correct it.',
        { cause: error },
      );
    });
  const found: [Submodule, string][] = [];
  for (const submodule of submodulesIn(listing, git)) {
    const entry = await local(dir).run(['ls-tree', '-z', commit, '--', submodule.path]);
    const id = /^160000 commit ([0-9a-f]+)\t/.exec(entry)?.[1];
    // Named in .gitmodules, but not (or no longer) in the tree.
    if (id !== undefined && isCommit(id)) found.push([submodule, id]);
  }
  return found;
}
