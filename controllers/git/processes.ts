/**
 * Ends every process of a clone: git starts helpers, helpers start ssh, and a signal to git alone leaves them behind. They
 * are known by the private home in their environment, which all of them inherit, also those that a control plane which is
 * gone has left. Linux only, as the node is.
 */
import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '../../specs/clock.ts';

/** Rounds after which a process that is still there is one that cannot be killed. */
const rounds = 20;

/** Kills all processes whose home is this directory or below it. Others are never looked at beyond their environment. */
export async function killProcessesOf(home: string, clock: Clock): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const pids = await processesOf(home);
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
    await new Promise<void>((resolve) => void clock.after(10 * round, resolve));
  }
}

/** Bytes that all processes with this home hold of memory that is no file's: what of a pack is mapped can go at any time. */
export async function memoryOf(home: string): Promise<number> {
  const each = (await processesOf(home)).map(async (pid) => {
    const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
    return 1024 * Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
  });
  return (await Promise.all(each)).reduce((sum, bytes) => sum + bytes, 0);
}

async function processesOf(home: string): Promise<number[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    names.map(async (name) => ((await isOf(name, home)) ? [Number(name)] : [])),
  );
  return found.flat().filter((pid) => pid !== process.pid);
}

/** One that ended meanwhile, or is somebody else's, is none of ours. */
async function isOf(pid: string, home: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  return environment
    .split('\0')
    .some((entry) => entry === `HOME=${home}` || entry.startsWith(`HOME=${home}/`));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
