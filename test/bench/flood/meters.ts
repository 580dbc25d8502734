/** What a flood costs the machine: processor time of its processes from /proc, and bytes on the disk. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Of one tick of /proc/<pid>/stat, in seconds: USER_HZ, which is 100 on all that Linux runs on today. */
const tick = 0.01;

/** Processor time of a process so far, in seconds; 0 when it is gone. proc(5). */
export async function cpuOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tick;
}

/** Bytes of memory that it has resident. */
export async function residentOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1_024;
}

/** Pids of all engines of this machine. */
export async function engines(): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const named = pids.map(async (pid) =>
    (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim() === 'dockerd' ? [Number(pid)] : [],
  );
  return (await Promise.all(named)).flat();
}

/** Bytes of all files below a directory whose names the filter takes; 0 when there is none. */
export async function bytesIn(dir: string, isMeant: (name: string) => boolean = () => true): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && isMeant(entry.name));
  const sizes = files.map(({ parentPath, name }) =>
    stat(join(parentPath, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
