/**
 * A real registry (Debian's docker-registry) for tests: on a free port, with or without a password, over HTTP on loopback
 * (which engines take without TLS) or over TLS on another address of this machine (which they don't).
 */
import { spawn } from 'node:child_process';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { makePair } from './certificates.ts';
import { freePort } from './free-port.ts';
import { installPackage } from './packages.ts';

const program = '/usr/bin/docker-registry';

/** Whom a registry with a password lets in. The registry takes nothing but bcrypt: this is what `htpasswd -B` made of it. */
export const puller = { username: 'puller', password: 'pull-password-1' };
const htpasswd = 'puller:$2y$05$abcdefghijklmnopqrstuuRFV1NtE/nO69p.r9VUL6TiEuVU4oGtW\n';

export interface TestRegistry {
  /** `host:port` */
  server: string;
  /**
   * Puts an image of an engine under a name.
   * @param image that the engine has
   * @param name such as `shop/web:1`
   * @returns `repository@sha256:…`
   */
  publish(endpoint: string, image: string, name: string): Promise<string>;
  /** Takes away what an engine has from here: a node that stops leaves its images, and those that it pulled have no label. */
  forget(endpoint: string): Promise<void>;
  /** Makes engines of this machine trust its certificate, and no longer. */
  trust(): Promise<void>;
  distrust(): Promise<void>;
  /** It answers nobody, until it goes on. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

export async function startRegistry({ guarded = false, tls = false } = {}): Promise<TestRegistry> {
  await access(program).catch(() => installPackage('docker-registry'));
  const root = await mkdtemp(join(tmpdir(), 'svc-registry-'));
  const host = tls ? ownAddress() : '127.0.0.1';
  const server = `${host}:${await freePort()}`;
  const auth = guarded ? { auth: { htpasswd: { realm: 'test', path: join(root, 'htpasswd') } } } : {};
  const pair = tls ? await makePair('registry.test', host) : undefined;
  const files = { certificate: join(root, 'cert.pem'), key: join(root, 'key.pem') };
  const config = {
    version: 0.1,
    log: { level: 'error' },
    storage: { filesystem: { rootdirectory: join(root, 'data') }, delete: { enabled: true } },
    http: { addr: server, ...(tls && { tls: files }) },
    ...auth,
  };
  await writeFile(join(root, 'htpasswd'), htpasswd);
  if (pair) await Promise.all([writeFile(files.certificate, pair.chain), writeFile(files.key, pair.key)]);
  // YAML takes JSON.
  await writeFile(join(root, 'config.yml'), JSON.stringify(config));
  const child = spawn(program, ['serve', join(root, 'config.yml')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const trusted = join('/etc/docker/certs.d', server);
  const distrust = (): Promise<void> => rm(trusted, { recursive: true, force: true });
  await untilListening(
    host,
    Number(server.split(':')[1]),
    () => child.exitCode !== null,
    () => said,
  );
  return {
    server,
    publish: (endpoint, image, name) => push(endpoint, image, `${server}/${name}`, guarded),
    forget: (endpoint) => forget(endpoint, `${server}/`),
    async trust() {
      await mkdir(trusted, { recursive: true });
      await writeFile(join(trusted, 'ca.crt'), pair?.chain ?? '');
    },
    distrust,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async stop() {
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      await ended;
      await distrust();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Pushes an image of the engine, and takes the name away from it again. */
async function push(endpoint: string, image: string, reference: string, guarded: boolean): Promise<string> {
  const docker = new Docker({ socketPath: endpoint.replace('unix://', ''), host: undefined });
  const colon = reference.lastIndexOf(':');
  const [repo, tag] = [reference.slice(0, colon), reference.slice(colon + 1)];
  await docker.getImage(image).tag({ repo, tag });
  const stream = await docker.getImage(`${repo}:${tag}`).push({ authconfig: guarded ? puller : {} });
  let said = '';
  for await (const chunk of stream) said += (chunk as Buffer).toString();
  const digest = /"Digest":"(sha256:[0-9a-f]{64})"/.exec(said)?.[1];
  if (digest === undefined) throw new Error(`the image was not pushed: ${said}`);
  await docker.getImage(`${repo}:${tag}`).remove();
  return `${repo}@${digest}`;
}

/** @param prefix of the names of its images */
async function forget(endpoint: string, prefix: string): Promise<void> {
  const docker = new Docker({ socketPath: endpoint.replace('unix://', ''), host: undefined });
  for (const { RepoTags, RepoDigests } of await docker.listImages()) {
    if (!RepoDigests?.some((digest) => digest.startsWith(prefix))) continue;
    for (const name of [...(RepoTags ?? []), ...RepoDigests]) await docker.getImage(name).remove();
  }
}

/** An address of this machine that is not loopback. */
function ownAddress(): string {
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal);
  if (!found) throw new Error('this machine has no address beside loopback');
  return found.address;
}

async function untilListening(
  host: string,
  port: number,
  isOver: () => boolean,
  said: () => string,
): Promise<void> {
  for (let tries = 0; tries < 200 && !isOver(); tries++) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, host, () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`docker-registry did not start: ${said()}`);
}
