/** Where a node keeps what lasts (data directory) and what a reboot may take (run directory). */
import { chmod, mkdir, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A socket path may have 107 bytes; ours are up to this long below the run directory. */
const longestBelow = 50;

export function defaultDataDir(env: NodeJS.ProcessEnv, root: boolean): string {
  return root ? '/var/lib/svc' : join(env['XDG_STATE_HOME'] || join(homedir(), '.local/state'), 'svc');
}

/** Makes the data directory, 0700. Refuses one that others can read: secrets lie in it. */
export async function prepareDataDir(dataDir: string): Promise<void> {
  await makeDirectory(dataDir).catch((error: unknown) => {
    throw new Error(
      `the data directory ${dataDir} cannot be made (${(error as NodeJS.ErrnoException).code}): make it, with mode 700, or choose another with --data-dir`,
      { cause: error },
    );
  });
  const { mode } = await stat(dataDir);
  if ((mode & 0o077) !== 0) {
    throw new Error(
      `the data directory ${dataDir} is open to others (mode ${(mode & 0o777).toString(8)}): chmod 700 it first`,
    );
  }
}

/**
 * With what lies above it. Not by `recursive` of mkdir, which says ENOENT of a read-only file system, and never ends
 * below /proc (seen with Node 24.21).
 */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && path !== dirname(path)) {
      await makeDirectory(dirname(path));
      await mkdir(path, { mode: 0o700 });
    } else if (!(await isDirectory(path))) throw error;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/**
 * The run directory: short, and passable for the unprivileged ingress user, which the data directory is not.
 * @returns `/run/svc/<node id>` as root, else a private directory of the user's
 */
export function runDirOf(nodeId: string, env: NodeJS.ProcessEnv): string {
  if (process.getuid?.() === 0) return join('/run/svc', nodeId);
  return join(env['XDG_RUNTIME_DIR'] ?? join(tmpdir(), `svc-${process.getuid?.() ?? 0}`), 'svc', nodeId);
}

/** Makes the run directory. Throws when sockets in it would have too long a path. */
export async function prepareRunDir(nodeId: string, env: NodeJS.ProcessEnv): Promise<string> {
  const root = process.getuid?.() === 0;
  const runDir = runDirOf(nodeId, env);
  if (Buffer.byteLength(runDir) + longestBelow > 107) {
    throw new Error(
      `the run directory ${runDir} is too long for socket paths: set XDG_RUNTIME_DIR to something shorter`,
    );
  }
  await mkdir(runDir, { recursive: true, mode: root ? 0o711 : 0o700 });
  if (root) {
    await chmod(dirname(runDir), 0o711);
    await chmod(runDir, 0o711);
  }
  return runDir;
}
