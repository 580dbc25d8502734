/**
 * A real engine for tests: the one that $SVC_TEST_ENGINE names, else a private one on a temporary directory, installed
 * from Debian's packages when the machine has none.
 */
import { execFile } from 'node:child_process';
import { lstat, mkdtemp, rm } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { pack } from 'tar-stream';
import { ManagedEngine } from '../../controllers/engine/managed.ts';
import { findDockerd } from '../../controllers/engine/managed/daemon.ts';
import { succeeds } from '../../controllers/engine/managed/run.ts';
import { systemClock } from '../../controllers/runtime/system-clock.ts';
import { installPackage } from './packages.ts';
import { recordingLog } from './recording-log.ts';

const exec = promisify(execFile);

export interface TestEngine {
  /** `unix://…` */
  endpoint: string;
  /** Ends it and removes its data, unless it was there before. */
  stop(): Promise<void>;
}

export async function startTestEngine(): Promise<TestEngine> {
  const given = process.env['SVC_TEST_ENGINE'];
  if (given) return { endpoint: given, stop: () => Promise.resolve() };
  const { managed, remove } = await startPrivateEngine();
  return { endpoint: managed.place.endpoint, stop: remove };
}

/** A private engine in a directory of its own. */
export async function startPrivateEngine(): Promise<{ managed: ManagedEngine; remove: () => Promise<void> }> {
  if ((await findDockerd()) === undefined) await installPackage('docker.io');
  // Minimal systems have no `ip`, which the private engine makes its bridge with.
  if (!(await succeeds('ip', ['-V']))) await installPackage('iproute2');
  const directory = await mkdtemp(join(tmpdir(), 'svc-engine-'));
  const log = recordingLog();
  const managed = new ManagedEngine({
    dataDir: join(directory, 'data'),
    runDir: join(directory, 'run'),
    clock: systemClock,
    log,
  });
  const remove = async (): Promise<void> => {
    await managed.stop();
    await rm(directory, { recursive: true, force: true });
  };
  await managed.start().catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return { managed, remove };
}

/**
 * A base image with a shell and small servers (Debian's busybox-static), so that Dockerfiles can say `FROM busybox`
 * without a registry. Does nothing when the engine has it.
 */
export async function ensureBaseImage(endpoint: string, tag = 'busybox:latest'): Promise<void> {
  const docker = new Docker({ socketPath: endpoint.replace('unix://', ''), host: undefined });
  const there = await docker
    .getImage(tag)
    .inspect()
    .then(
      () => true,
      () => false,
    );
  if (there) return;
  const busybox = '/bin/busybox';
  if (
    !(await lstat(busybox).then(
      (file) => file.isFile(),
      () => false,
    ))
  )
    await installPackage('busybox-static');
  const { stdout: applets } = await exec(busybox, ['--list']);
  const tar = pack();
  const { size } = await lstat(busybox);
  // The same image every time, for the builders' caches.
  const header = { mtime: new Date(0) };
  const filled = (async () => {
    await pipeline(
      createReadStream(busybox),
      tar.entry({ ...header, name: 'bin/busybox', mode: 0o755, size }),
    );
    for (const applet of applets.split('\n').filter((name) => name !== '' && name !== 'busybox'))
      tar.entry({ ...header, name: `bin/${applet}`, type: 'symlink', linkname: 'busybox' });
    tar.entry({ ...header, name: 'tmp', type: 'directory', mode: 0o1777 });
    tar.entry(
      { name: 'etc/passwd' },
      'root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n',
    );
    tar.entry({ ...header, name: 'etc/group' }, 'root:x:0:\nnogroup:x:65534:\n');
    tar.finalize();
  })();
  const [repo = '', version = 'latest'] = tag.split(':');
  const reply = await docker.importImage(Readable.from(tar), { repo, tag: version });
  let said = '';
  for await (const chunk of reply) said += chunk.toString();
  await filled;
  if (!said.includes('sha256:')) throw new Error(`the engine did not import the base image: ${said}`);
}
