/** Ends everything of a node with a private engine at once, and takes all that a reboot takes: only the disk stays. */
import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { removeBridges } from '../../controllers/engine/managed/bridge.ts';
import { removeCgroups } from '../../controllers/engine/managed/cgroups.ts';
import { drop } from '../../controllers/engine/managed/firewall.ts';
import type { ManagedEngine } from '../../controllers/engine/managed.ts';
import type { TestNode } from './node.ts';

const exec = promisify(execFile);

/** @param runDir of the node */
export async function cutPower(
  node: Pick<TestNode, 'kill' | 'dataDir'>,
  { place, engine }: ManagedEngine,
  runDir: string,
): Promise<void> {
  await node.kill('SIGKILL');
  // In a reboot nobody is left who could do something about the death of another: the engine goes before its containers.
  for (let rounds = 0; rounds < 20; rounds++) {
    const pids = await processesOf(node.dataDir, runDir, place.cgroupParent);
    if (pids.length === 0) break;
    for (const pid of pids) kill(pid);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  for (const path of (await mountsBelow([runDir, node.dataDir])).reverse())
    await exec('umount', ['-l', path]);
  await removeBridges(place);
  await drop(place);
  await removeCgroups(place.cgroupParent);
  await rm(runDir, { recursive: true, force: true });
  await engine.info().then(
    () => Promise.reject(new Error('the engine outlived the power cut')),
    () => undefined,
  );
}

/** Those that name a directory of the node in their command line, and those in the engine's cgroups. */
async function processesOf(dataDir: string, runDir: string, cgroupParent: string): Promise<number[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const found = await Promise.all(
    all.map(async (pid) => {
      const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
      const [command, cgroups] = [await read('cmdline'), await read('cgroup')];
      const isOurs = [dataDir, runDir].some((directory) => command.includes(directory));
      return isOurs || cgroups.includes(`/${cgroupParent}/`) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** In the order in which they were made. */
async function mountsBelow(directories: readonly string[]): Promise<string[]> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).trim().split('\n');
  const points = lines.map((line) => line.split(' ')[4] ?? '');
  return points.filter((point) => directories.some((directory) => point.startsWith(`${directory}/`)));
}
