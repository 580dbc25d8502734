/** Makes sure that the example's base image is there: pulled, or where no registry answers, made from busybox-static. */
import { spawn } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call } from './engine-api.ts';
import { install, type Asking } from './engine.ts';
import { installed, run } from './shell.ts';

/** Milliseconds that a registry may stay silent. */
const pullTimeout = 10_000;

/** @returns how it came to be there */
export async function ensureBaseImage(endpoint: string, asking: Asking): Promise<string> {
  const there = await call(endpoint, 'GET', '/images/busybox:latest/json');
  if (there.status === 200) return 'busybox is there';
  if (await pulled(endpoint)) return 'busybox pulled';
  if (!(await installed('busybox'))) await install('busybox-static', 'the base image of the example', asking);
  const root = await mkdtemp(join(tmpdir(), 'svc-busybox-'));
  try {
    await layOut(root);
    await load(endpoint, root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  return 'no registry answers; busybox made from Debian’s busybox-static';
}

async function pulled(endpoint: string): Promise<boolean> {
  // A pull that fails may still answer 200 and say so in its progress: only the image itself is proof.
  await call(endpoint, 'POST', '/images/create?fromImage=busybox&tag=latest', { timeout: pullTimeout }).catch(
    () => undefined,
  );
  return (await call(endpoint, 'GET', '/images/busybox:latest/json')).status === 200;
}

async function layOut(root: string): Promise<void> {
  await mkdir(join(root, 'bin'));
  await mkdir(join(root, 'tmp'));
  await chmod(join(root, 'tmp'), 0o1777);
  const busybox = (await run('sh', ['-c', 'command -v busybox'])).trim();
  await copyFile(busybox, join(root, 'bin/busybox'));
  const applets = (await run(busybox, ['--list']))
    .split('\n')
    .filter((applet) => applet !== '' && applet !== 'busybox');
  for (const applet of applets) await symlink('busybox', join(root, 'bin', applet));
}

async function load(endpoint: string, root: string): Promise<void> {
  const tar = spawn('tar', ['-C', root, '-c', '.'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const path =
    '/images/create?fromSrc=-&repo=busybox&tag=latest&changes=' + encodeURIComponent('ENV PATH=/bin');
  const { status, text } = await call(endpoint, 'POST', path, { body: tar.stdout, timeout: 60_000 });
  if (status !== 200) throw new Error(`The engine did not take the base image: ${text.trim()}`);
}
