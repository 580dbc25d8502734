/** A project with a deploy key, which clones from a real sshd on loopback; and what there is to see of it. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import type { AddressInfo, Server, Socket } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { openClones, type CloneRequest, type ClonesOptions } from '../../../controllers/git/clone.ts';
import type { KnownHosts } from '../../../controllers/git/known-hosts.ts';
import { parseCidrs } from '../../../controllers/network/addresses.ts';
import { systemClock } from '../../../controllers/runtime/system-clock.ts';
import type { KnownHostSpec } from '../../../specs/known-host.ts';
import { scratchDir } from '../../support/archives.ts';
import type { GitHost } from '../../support/git-host.ts';
import { makeKey } from '../../support/ssh-keygen.ts';

const exec = promisify(execFile);

/** A project that nothing is known of, with a deploy key that the host takes. */
export async function project(t: TestContext, host: GitHost, options: Partial<ClonesOptions> = {}) {
  const dir = await scratchDir(t);
  const { private_key: key, public_key } = await makeKey(t, '-t ed25519');
  await host.authorize(public_key);
  const pinned = new Map<string, KnownHostSpec>();
  const knownHosts: KnownHosts = {
    find: (_, name) => Promise.resolve(pinned.get(name)),
    pin: (_, spec) => Promise.resolve(void pinned.set(spec.host, spec)),
  };
  const roots = { homes: join(dir, 'homes'), works: join(dir, 'works') };
  const clones = await openClones({
    ...{ roots, knownHosts, clock: systemClock, path: process.env['PATH'] ?? '' },
    deployKey: () => Promise.resolve({ key, fingerprint: 'SHA256:of-the-project' }),
    lookup: (name) => Promise.resolve([name]),
    allow: parseCidrs('127.0.0.0/8'),
    ...options,
  });
  const log: string[] = [];
  const commits: string[] = [];
  const clone = (url: string, ref: string, more: Partial<CloneRequest> = {}) =>
    clones.clone({
      ...{ id: 'dep_1', projectId: 'prj_1', source: { repo_url: url, git_ref: ref }, commit: null },
      onCommit: (commit) => Promise.resolve(void commits.push(commit)),
      onLine: (line) => void log.push(line),
      signal: AbortSignal.timeout(60_000),
      ...more,
    });
  const left = async () => [...(await readdir(roots.homes)), ...(await readdir(roots.works))];
  return { clone, log, commits, pinned, left, roots, clones };
}

/** Names in archives, as tar lists them. */
export async function namesIn(archives: readonly string[]): Promise<string[]> {
  const lists = await Promise.all(archives.map((path) => exec('tar', ['-tf', path])));
  return lists.flatMap(({ stdout }) => stdout.trim().split('\n'));
}

export async function listen(t: TestContext, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Programs that run with a home below this directory. */
export async function processesIn(homes: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      return environment.includes(`HOME=${homes}/`) ? [pid] : [];
    }),
  );
  return found.flat();
}
