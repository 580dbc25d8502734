/** What a test sees of the processes of this machine, from /proc: which run, and what their cgroups allow them. */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Pids of the processes with this word among their arguments. */
export async function processesWith(word: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) =>
      (await text(`/proc/${pid}/cmdline`)).split('\0').includes(word) ? [Number(pid)] : [],
    ),
  );
  return found.flat();
}

/** The least that any level of its cgroups leaves it. @returns bytes and processors, Infinity without a limit */
export async function limitsOf(pid: number): Promise<{ memoryBytes: number; cpus: number }> {
  const lines = (await text(`/proc/${pid}/cgroup`)).trim().split('\n');
  const paths = new Map(
    lines.map((line) => line.split(':')).map(([, names = '', path = '']) => [names, path]),
  );
  const legacy = paths.has('memory');
  const at = (controller: string) => paths.get(controller) ?? paths.get('') ?? '/';
  const memory = await least(legacy ? 'memory' : '', at('memory'), async (directory) =>
    Number((await text(join(directory, legacy ? 'memory.limit_in_bytes' : 'memory.max'))) || NaN),
  );
  const cpus = await least(legacy ? 'cpu' : '', at('cpu'), async (directory) => {
    const [quota, period] = legacy
      ? [await text(join(directory, 'cpu.cfs_quota_us')), await text(join(directory, 'cpu.cfs_period_us'))]
      : (await text(join(directory, 'cpu.max'))).split(' ');
    const share = Number(quota) / Number(period);
    return share > 0 ? share : NaN;
  });
  return { memoryBytes: memory, cpus };
}

async function least(
  hierarchy: string,
  path: string,
  read: (directory: string) => Promise<number>,
): Promise<number> {
  let lowest = Infinity;
  for (let level = path; level !== '/'; level = dirname(level)) {
    const value = await read(join('/sys/fs/cgroup', hierarchy, level));
    if (value < lowest) lowest = value;
  }
  return lowest;
}

function text(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
