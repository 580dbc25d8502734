/** A Git host of our own: a real sshd on loopback that lets git-upload-pack run and nothing else, and bare repositories. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { installPackage } from './packages.ts';

const exec = promisify(execFile);

export interface GitHost {
  port: number;
  /** Of the host key, as ssh-keygen -l prints it. */
  fingerprint(): Promise<string>;
  /** Lets the owner of a key in, and nobody else. */
  authorize(publicKey: string): Promise<void>;
  /** The same host with another key, as after a new installation, or as somebody in its place. */
  changeKey(type?: 'ed25519' | 'rsa'): Promise<void>;
  /** Address of a repository by ssh. */
  url(name: string): string;
  /** Makes a bare repository, or adds a commit to it. @returns the commit */
  commit(name: string, files: Readonly<Record<string, string>>, options?: CommitOptions): Promise<string>;
  /** Says where its LFS server is, and what to say to it; without it the host knows nothing of LFS. */
  keepLfsAt(server: { href: string; header: Record<string, string> }): Promise<void>;
  /** Runs git in a bare repository. */
  git(name: string, args: readonly string[]): Promise<string>;
  /** What the host says of its connections. */
  log(): string;
  stop(): Promise<void>;
}

export interface CommitOptions {
  branch?: string;
  tag?: string;
  /** Path → address, of submodules, with the commit that each is at. */
  submodules?: Readonly<Record<string, { url: string; commit: string }>>;
}

export async function startGitHost(): Promise<GitHost> {
  const sshd = await programOf('sshd', 'openssh-server');
  await programOf('git', 'git');
  const dir = await mkdtemp(join(tmpdir(), 'svc-git-'));
  // sshd, which becomes the user, has to reach the repositories.
  await chmod(dir, 0o755);
  const port = await freePort();
  const hostKey = join(dir, 'host-key');
  let child: ChildProcess | undefined;
  let log = '';

  const listen = async (): Promise<void> => {
    child = spawn(sshd, ['-D', '-e', '-f', join(dir, 'sshd_config')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    await waitFor(
      () => /Server listening on/.test(log),
      () => log,
    );
  };
  const end = async (): Promise<void> => {
    const ended = child;
    if (!ended || ended.exitCode !== null || ended.signalCode !== null) return;
    const gone = new Promise((resolve) => ended.once('exit', resolve));
    ended.kill('SIGTERM');
    await gone;
  };
  const makeHostKey = async (type: string): Promise<void> => {
    for (const path of [hostKey, `${hostKey}.pub`]) await rm(path, { force: true });
    await exec('ssh-keygen', ['-q', '-t', type, '-N', '', '-f', hostKey]);
  };
  await writeFile(join(dir, 'authorized_keys'), '');
  await writeFile(join(dir, 'sshd_config'), configOf(dir, port));
  await writeFile(join(dir, 'serve'), serveOnly, { mode: 0o755 });
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  await makeHostKey('ed25519');
  await listen();

  return {
    port,
    fingerprint: async () => (await exec('ssh-keygen', ['-l', '-f', hostKey])).stdout.split(' ')[1] ?? '',
    authorize: (publicKey) => writeFile(join(dir, 'authorized_keys'), `${publicKey}\n`),
    async changeKey(type = 'ed25519') {
      await end();
      log = '';
      await makeHostKey(type);
      await listen();
    },
    url: (name) => `ssh://${userInfo().username}@127.0.0.1:${port}${join(dir, `${name}.git`)}`,
    commit: (name, files, options) => commitTo(join(dir, `${name}.git`), files, options),
    keepLfsAt: (server) => writeFile(join(dir, 'lfs.json'), JSON.stringify(server)),
    git: (name, args) => git(join(dir, `${name}.git`), args),
    log: () => log,
    async stop() {
      await end();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function programOf(name: string, pkg: string): Promise<string> {
  const path = `${process.env['PATH'] ?? ''}:/usr/sbin`;
  const find = async () =>
    (await exec('which', [name], { env: { ...process.env, PATH: path } })).stdout.trim();
  return find().catch(async () => {
    await installPackage(pkg);
    return find();
  });
}

/** What a Git host lets a key do. */
const serveOnly = `#!/bin/sh
case "$SSH_ORIGINAL_COMMAND" in
  git-upload-pack*) exec git-shell -c "$SSH_ORIGINAL_COMMAND" ;;
  "git-lfs-authenticate '"*) cat "$(dirname "$0")/lfs.json" ;;
  *) echo "this host serves repositories only" >&2; exit 1 ;;
esac
`;

function configOf(dir: string, port: number): string {
  return [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${dir}/host-key`,
    `AuthorizedKeysFile ${dir}/authorized_keys`,
    `PidFile ${dir}/sshd.pid`,
    `ForceCommand ${dir}/serve`,
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'UsePAM no',
    'StrictModes no',
    'AcceptEnv GIT_PROTOCOL',
    'LogLevel VERBOSE',
    '',
  ].join('\n');
}

async function git(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'safe.directory=*'];
  const own = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', ...env };
  const { stdout } = await exec('git', [...who, ...args], { cwd, env: own, maxBuffer: 2 ** 26 });
  return stdout.trim();
}

/** Through a working tree of its own, which goes again. */
async function commitTo(
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

async function waitFor(check: () => boolean, explain: () => string): Promise<void> {
  const end = performance.now() + 20_000;
  while (!check()) {
    if (performance.now() > end) throw new Error(`the Git host does not come up: ${explain()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
