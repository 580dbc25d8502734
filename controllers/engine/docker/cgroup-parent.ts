/**
 * Finds the dockerd behind a socket on this host and where it puts its containers' cgroups. The API does not say. Reads
 * /proc only; finding nothing means that the engine is not here: on another host, in a container, behind a proxy.
 */
import { readdir, readFile, readlink, realpath } from 'node:fs/promises';

/** Unless it was configured (`--cgroup-parent`). */
const usual = 'docker';

/**
 * @param socket path of the engine's socket
 * @returns cgroup parent of its containers and builds; undefined when no dockerd of this host listens there
 */
export async function cgroupParentOf(socket: string): Promise<string | undefined> {
  const inodes = await listeners(socket);
  if (inodes.size === 0) return undefined;
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid) || (await text(`/proc/${pid}/comm`)).trim() !== 'dockerd') continue;
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const target = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '');
      if (inodes.has(target)) return configuredParent((await text(`/proc/${pid}/cmdline`)).split('\0'));
    }
  }
  return undefined;
}

/** What /proc/<pid>/fd shows of sockets that listen on this path. proc(5), /proc/net/unix. */
async function listeners(socket: string): Promise<Set<string>> {
  const wanted = await realpath(socket).catch(() => socket);
  const found = new Set<string>();
  for (const line of (await text('/proc/net/unix')).split('\n')) {
    const [, , , flags, , , inode, path] = line.trim().split(/\s+/);
    const listens = flags !== undefined && (Number.parseInt(flags, 16) & 0x10000) !== 0;
    if (listens && path?.startsWith('/') && (await realpath(path).catch(() => path)) === wanted)
      found.add(`socket:[${inode ?? ''}]`);
  }
  return found;
}

/** A flag of dockerd beats its configuration file. */
async function configuredParent(args: string[]): Promise<string> {
  const file = flag(args, '--config-file') ?? '/etc/docker/daemon.json';
  return flag(args, '--cgroup-parent') ?? (fromFile(await text(file)) || usual);
}

function flag(args: string[], name: string): string | undefined {
  const at = args.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  return at === -1 ? undefined : args[at]?.includes('=') ? args[at].slice(name.length + 1) : args[at + 1];
}

function fromFile(json: string): string | undefined {
  try {
    const parent = (JSON.parse(json) as Record<string, unknown>)['cgroup-parent'];
    return typeof parent === 'string' ? parent : undefined;
  } catch {
    // No such file, or one that dockerd would not have started with.
    return undefined;
  }
}

function text(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}
