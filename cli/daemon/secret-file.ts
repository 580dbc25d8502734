/** Files that only their owner reads, from the first byte on, written whole or not at all, and kept through a power cut. */
import { randomBytes } from 'node:crypto';
import { chmod, link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** @returns false when a file is there that is to stay */
export async function writeSecret(
  path: string,
  content: string | Uint8Array,
  replace: boolean,
): Promise<boolean> {
  const part = `${path}.${randomBytes(6).toString('hex')}`;
  await writePrivate(part, content, 'wx');
  try {
    if (replace) await rename(part, path);
    else await link(part, path);
    await chmod(path, 0o600);
    await syncDirectory(dirname(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(part, { force: true });
  }
}

/** Writes a file in place, onto the disk. */
export async function writePrivate(
  path: string,
  content: string | Uint8Array,
  flags: 'w' | 'wx',
): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the names in a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
