/** One repository at one commit: what was asked for becomes a commit, and as little as the host allows is fetched of it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isCommit, looksLikeCommit } from '../../specs/git-source.ts';
import type { Git } from './command.ts';
import { GitCommandError, GitError } from './failure.ts';
import type { Remote } from './remote.ts';

export interface Repository {
  /** Bare. */
  dir: string;
  commit: string;
}

/** A name that may mean several things, or a commit that was settled before. */
export type Wanted = { ref: string } | { commit: string };

/**
 * @param dir a directory for it, which is not there yet
 * @param local runs commands that reach for nobody
 */
export async function fetchRepository(
  remote: Remote,
  wanted: Wanted,
  dir: string,
  local: (dir: string) => Git,
): Promise<Repository> {
  await mkdir(dir, { mode: 0o700 });
  const name = 'ref' in wanted ? await resolveName(remote, wanted.ref, dir) : undefined;
  const asked = 'ref' in wanted ? wanted.ref : wanted.commit;
  if (name === undefined && !looksLikeCommit(asked)) throw noSuchRef(remote, asked);
  await initialise(local(dir), dir, (name?.id ?? asked).length === 64 ? 'sha256' : 'sha1');
  if (name !== undefined) {
    await remote.run(dir, ['fetch', ...quietly, '--depth=1', '--', remote.git.url, name.ref]);
    return { dir, commit: await commitOf(local(dir), 'FETCH_HEAD', asked, remote) };
  }
  const commit = asked.toLowerCase();
  if (!isCommit(commit) || !(await fetchCommit(remote, commit, dir)))
    await remote.run(dir, [
      'fetch',
      ...quietly,
      '--',
      remote.git.url,
      '+refs/heads/*:refs/heads/*',
      '+refs/tags/*:refs/tags/*',
    ]);
  return { dir, commit: await commitOf(local(dir), commit, asked, remote) };
}

const quietly = ['--no-tags', '--no-recurse-submodules', '--no-auto-maintenance'];

/** Bare, and what its archives hold is what its commits hold, whatever its .gitattributes say. */
async function initialise(git: Git, dir: string, format: 'sha1' | 'sha256'): Promise<void> {
  await git.run(['init', '--quiet', '--bare', `--object-format=${format}`]);
  await mkdir(join(dir, 'info'), { recursive: true });
  await writeFile(join(dir, 'info/attributes'), '* -export-ignore -export-subst\n');
}

interface Name {
  ref: string;
  /** Of the object that it points at. */
  id: string;
}

/** Branch before tag, as `git clone --branch` has it. Undefined when the host has no such name. */
async function resolveName(remote: Remote, ref: string, dir: string): Promise<Name | undefined> {
  const names = ref === 'HEAD' || ref.startsWith('refs/') ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
  const listed = await remote.ask(dir, ['ls-remote', '--quiet', '--', remote.git.url, ...names]);
  const ids = new Map(
    listed.split('\n').map((line) => {
      const [id = '', name = ''] = line.split('\t');
      return [name, id];
    }),
  );
  for (const name of names) {
    const id = ids.get(name);
    if (id !== undefined) return { ref: name, id };
  }
  return undefined;
}

/** @returns false where the host gives out no commit by its name, or has none such at the tip of anything */
async function fetchCommit(remote: Remote, commit: string, dir: string): Promise<boolean> {
  try {
    await remote.run(dir, ['fetch', ...quietly, '--depth=1', '--', remote.git.url, commit]);
    return true;
  } catch (error) {
    const { cause } = error as Error;
    if (
      cause instanceof GitCommandError &&
      /not our ref|unadvertised|couldn't find remote ref|no such remote ref/i.test(cause.output)
    )
      return false;
    throw error;
  }
}

async function commitOf(git: Git, name: string, asked: string, remote: Remote): Promise<string> {
  const found = await git
    .run(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`])
    .catch((error: unknown) => {
      if (error instanceof GitCommandError) return '';
      throw error;
    });
  const commit = found.trim();
  if (isCommit(commit)) return commit;
  throw noSuchRef(remote, asked);
}

function noSuchRef({ git }: Remote, asked: string): GitError {
  const hint = isCommit(asked)
    ? ': push it there'
    : looksLikeCommit(asked)
      ? ', or the shortened name of a commit is not unique: write more of it'
      : ': check its spelling';
  return new GitError(
    'CloneFailed',
    `The repository ${git.url} has no branch, tag or commit ${asked}${hint}.`,
  );
}
