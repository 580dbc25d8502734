/** Bare repositories for tests: commits are made without a checkout that stays. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflateSync } from 'node:zlib';

const exec = promisify(execFile);

export interface CommitOptions {
  branch?: string;
  tag?: string;
  /** Path → address, of submodules, with the commit that each is at. */
  submodules?: Readonly<Record<string, { url: string; commit: string }>>;
}

/** Runs git without any configuration of the machine. @returns what it printed */
export async function git(
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'safe.directory=*'];
  const own = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', ...env };
  const { stdout } = await exec('git', [...who, ...args], { cwd, env: own, maxBuffer: 2 ** 26 });
  return stdout.trim();
}

/** Makes a bare repository, or adds a commit to it, through a working tree that goes again. @returns the commit */
export async function commitTo(
  repository: string,
  files: Readonly<Record<string, string>>,
  { branch = 'main', tag, submodules = {} }: CommitOptions = {},
): Promise<string> {
  await mkdir(repository, { recursive: true });
  const made = await git(repository, ['rev-parse', '--git-dir']).catch(() => undefined);
  if (made !== '.') await git(repository, ['init', '--quiet', '--bare', '--initial-branch=main', '.']);
  const tree = await mkdtemp(join(tmpdir(), 'svc-tree-'));
  const env = { GIT_DIR: repository, GIT_WORK_TREE: tree, GIT_INDEX_FILE: join(tree, '.index') };
  try {
    const modules = Object.entries(submodules).map(
      ([path, { url }]) => `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n`,
    );
    const all = modules.length > 0 ? { '.gitmodules': modules.join(''), ...files } : files;
    for (const [path, content] of Object.entries(all)) {
      await mkdir(dirname(join(tree, path)), { recursive: true });
      await writeFile(join(tree, path), content);
    }
    await git(tree, ['add', '--force', '--', ...Object.keys(all)], env);
    for (const [path, { commit }] of Object.entries(submodules))
      await git(tree, ['update-index', '--add', '--cacheinfo', `160000,${commit},${path}`], env);
    const content = await git(tree, ['write-tree'], env);
    const parent = await git(repository, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]).catch(
      () => '',
    );
    const parents = parent === '' ? [] : ['-p', parent];
    const commit = await git(tree, ['commit-tree', content, ...parents, '-m', 'a change'], env);
    await git(repository, ['update-ref', `refs/heads/${branch}`, commit]);
    if (tag !== undefined) await git(repository, ['tag', '-a', '-m', tag, tag, commit]);
    return commit;
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
}

/**
 * Writes a tree that git itself would not make, and many of them in a moment. @param entries in git's order
 * @returns its name
 */
export async function writeTree(
  repository: string,
  entries: readonly { mode: string; name: Buffer; id: string }[],
): Promise<string> {
  const parts = entries.flatMap(({ mode, name, id }) => [
    Buffer.from(`${mode} `),
    name,
    Buffer.of(0),
    Buffer.from(id, 'hex'),
  ]);
  const content = Buffer.concat(parts);
  const object = Buffer.concat([Buffer.from(`tree ${content.length}\0`), content]);
  const id = createHash('sha1').update(object).digest('hex');
  const dir = join(repository, 'objects', id.slice(0, 2));
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, id.slice(2)), deflateSync(object));
  return id;
}
