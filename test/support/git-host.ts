/** A Git host of our own: a real sshd on loopback that lets git-upload-pack run and nothing else, and bare repositories. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { commitTo, git, type CommitOptions } from './git-repository.ts';
import { installPackage } from './packages.ts';

const exec = promisify(execFile);

export interface GitHost {
  port: number;
  /** Of a host key, as ssh-keygen -l prints it; the first one that it offers unless told otherwise. */
  fingerprint(type?: KeyType): Promise<string>;
  /** Lets the owner of a key in, and nobody else. */
  authorize(publicKey: string): Promise<void>;
  /** The same host with another key (or several), as after a new installation, or as somebody in its place. */
  changeKey(...types: KeyType[]): Promise<void>;
  /** It offers just those of its keys from now on: after a change of its configuration. */
  offer(...types: KeyType[]): Promise<void>;
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

/** Of a host key. */
export type KeyType = 'ed25519' | 'ecdsa' | 'rsa';

export async function startGitHost(): Promise<GitHost> {
  const sshd = await programOf('sshd', 'openssh-server');
  await programOf('git', 'git');
  const dir = await mkdtemp(join(tmpdir(), 'svc-git-'));
  // sshd, which becomes the user, has to reach the repositories.
  await chmod(dir, 0o755);
  const port = await freePort();
  const hostKey = (type: KeyType): string => join(dir, `host-key-${type}`);
  let offered: readonly KeyType[] = [];
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
  const makeHostKey = async (type: KeyType): Promise<void> => {
    for (const path of [hostKey(type), `${hostKey(type)}.pub`]) await rm(path, { force: true });
    await exec('ssh-keygen', ['-q', '-t', type, '-N', '', '-f', hostKey(type)]);
  };
  const offer = async (types: readonly KeyType[]): Promise<void> => {
    await end();
    log = '';
    offered = types;
    await writeFile(join(dir, 'sshd_config'), configOf(dir, port, types.map(hostKey)));
    await listen();
  };
  await writeFile(join(dir, 'authorized_keys'), '');
  await writeFile(join(dir, 'serve'), serveOnly, { mode: 0o755 });
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  await makeHostKey('ed25519');
  await offer(['ed25519']);

  return {
    port,
    fingerprint: async (type = offered[0] ?? 'ed25519') =>
      (await exec('ssh-keygen', ['-l', '-f', hostKey(type)])).stdout.split(' ')[1] ?? '',
    authorize: (publicKey) => writeFile(join(dir, 'authorized_keys'), `${publicKey}\n`),
    async changeKey(...types) {
      const wanted: KeyType[] = types.length > 0 ? types : ['ed25519'];
      for (const type of wanted) await makeHostKey(type);
      await offer(wanted);
    },
    offer: (...types) => offer(types),
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

function configOf(dir: string, port: number, hostKeys: readonly string[]): string {
  return [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    ...hostKeys.map((path) => `HostKey ${path}`),
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

async function waitFor(check: () => boolean, explain: () => string): Promise<void> {
  const end = performance.now() + 20_000;
  while (!check()) {
    if (performance.now() > end) throw new Error(`the Git host does not come up: ${explain()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
