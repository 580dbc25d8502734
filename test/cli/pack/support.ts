/** Trees, repositories and archives for the tests of packing. Everything real: git, tar and zstd of the machine. */
import { execFile } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { pack, type PackOptions } from '../../../cli/pack/pack.ts';
import { scan } from '../../../cli/pack/scan.ts';
import { resolveTarget, type TargetOptions } from '../../../cli/pack/target.ts';
import { collect } from '../../support/archives.ts';

const run = promisify(execFile);

/** An environment in which git knows no settings but a repository's own. */
export const cleanEnv: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

/** A file's text; or a directory (`null`); or what a symbolic link says; or a file with permissions. */
export type Content = string | null | { link: string } | { text: string; mode: number };

/** A directory that goes away after the test. */
export async function scratch(test: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-pack-'));
  test.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

export async function fill(root: string, files: Record<string, Content>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(root, name);
    await mkdir(content === null ? path : dirname(path), { recursive: true });
    if (typeof content === 'string') await writeFile(path, content);
    else if (content !== null && 'link' in content) await symlink(content.link, path);
    else if (content !== null) {
      await writeFile(path, content.text);
      await chmod(path, content.mode);
    }
  }
}

/** A tree with a Dockerfile in it. */
export async function tree(test: TestContext, files: Record<string, Content> = {}): Promise<string> {
  const root = await scratch(test);
  await fill(root, { Dockerfile: 'FROM scratch\n', ...files });
  return root;
}

export async function git(directory: string, ...args: string[]): Promise<string> {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'protocol.file.allow=always'];
  const { stdout } = await run('git', [...who, ...args], {
    cwd: directory,
    env: cleanEnv,
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

/** A tree that is a repository; nothing is tracked yet. */
export async function repository(test: TestContext, files: Record<string, Content> = {}): Promise<string> {
  const root = await tree(test, files);
  await git(root, 'init', '-q');
  return root;
}

export interface Listed {
  /** Directories end with `/`. */
  names: string[];
  warnings: string[];
}

/** What a push would hold, in the order of the archive. */
export async function listed(options: TargetOptions, env: NodeJS.ProcessEnv = cleanEnv): Promise<Listed> {
  const warnings: string[] = [];
  const plan = await scan(await resolveTarget(options), { env, warn: (message) => warnings.push(message) });
  const names = plan.entries.map(({ type, name }) => (type === 'directory' ? `${name}/` : name));
  return { names, warnings };
}

/** The whole archive in memory. */
export async function packed(options: PackOptions): Promise<Buffer> {
  return collect(pack({ env: cleanEnv, ...options }).stream);
}

/** Runs `tar`; installs the zstd program first where there is none. */
export async function tar(...args: string[]): Promise<string> {
  try {
    await run('zstd', ['--version']);
  } catch {
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'zstd']);
  }
  const { stdout } = await run('tar', args, { maxBuffer: 2 ** 26 });
  return stdout;
}

/** Every path below a directory with its kind, permissions and contents. */
export async function snapshot(root: string, below = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const child of await readdir(join(root, below))) {
    const name = below === '' ? child : `${below}/${child}`;
    const stats = await lstat(join(root, name));
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) found[name] = `-> ${await readlink(join(root, name))}`;
    else if (stats.isDirectory())
      Object.assign(found, { [name]: `directory ${mode}` }, await snapshot(root, name));
    else found[name] = `${mode} ${await readFile(join(root, name), 'base64')}`;
  }
  return found;
}
