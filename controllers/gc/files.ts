/** What the node keeps on its own disk in the name of rows: uploads, clones, logs. Lists names, and says what one takes. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isId } from '../../specs/meta.ts';

export type FileKind = 'upload' | 'git-clone' | 'deployment-log' | 'run-log' | 'workload-log';

/** Where each of them lies. */
export interface FileRoots {
  uploads: string;
  clones: string;
  deploymentLogs: string;
  runLogs: string;
  workloadLogs: string;
}

export interface StoredFile {
  kind: FileKind;
  /** Of the row that it belongs to; of the deployment, where workloads have printed it. */
  id: string;
  /** Whose workloads printed it. */
  serviceId?: string;
  path: string;
  /** Milliseconds; when it was last written. */
  modifiedAt: number;
}

export interface Files {
  list(): Promise<StoredFile[]>;
  /** Of a file, or of all that is below a directory; 0 when it is gone. */
  bytesOf(path: string): Promise<number>;
}

export function filesBelow(roots: FileRoots): Files {
  return {
    async list() {
      const lists = await Promise.all([
        entries(roots.uploads, 'upload', 'upload', '.tar.zst'),
        entries(roots.clones, 'git-clone', 'deployment'),
        entries(roots.deploymentLogs, 'deployment-log', 'deployment', '.ndjson'),
        entries(roots.runLogs, 'run-log', 'run', '.ndjson'),
        workloadLogs(roots.workloadLogs),
      ]);
      return lists.flat();
    },
    bytesOf,
  };
}

/** Only what is named after a row: what is still being written, and what people have put there, is not ours to judge. */
async function entries(
  dir: string,
  kind: FileKind,
  row: Parameters<typeof isId>[0],
  suffix = '',
): Promise<StoredFile[]> {
  const found: StoredFile[] = [];
  for (const name of await unlessGone(readdir(dir), [])) {
    const id = name.slice(0, name.length - suffix.length);
    if (!name.endsWith(suffix) || !isId(row, id)) continue;
    const path = join(dir, name);
    const facts = await unlessGone(lstat(path), undefined);
    if (facts) found.push({ kind, id, path, modifiedAt: facts.mtimeMs });
  }
  return found;
}

/** `<service>/<deployment>`. */
async function workloadLogs(dir: string): Promise<StoredFile[]> {
  const found: StoredFile[] = [];
  for (const serviceId of await unlessGone(readdir(dir), [])) {
    if (!isId('service', serviceId)) continue;
    const of = await entries(join(dir, serviceId), 'workload-log', 'deployment');
    found.push(...of.map((file) => ({ ...file, serviceId })));
  }
  return found;
}

async function bytesOf(path: string): Promise<number> {
  const facts = await unlessGone(lstat(path), undefined);
  if (!facts) return 0;
  // What it takes, not what is in it: files may have holes, and an empty one takes a directory entry only.
  const own = facts.blocks * 512;
  if (!facts.isDirectory()) return own;
  let sum = own;
  for (const name of await unlessGone(readdir(path), [])) sum += await bytesOf(join(path, name));
  return sum;
}

/** Things go while they are looked at. */
async function unlessGone<T, F>(reading: Promise<T>, fallback: F): Promise<T | F> {
  try {
    return await reading;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return fallback;
    throw error;
  }
}
