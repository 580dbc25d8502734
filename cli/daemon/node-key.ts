/**
 * The node key: 32 random bytes in `node.key`, and while it is rotated a second one in `node.key.next`. The database knows
 * which of the two is in use, so that a rotation may be cut off anywhere:
 * ```
 * node.key.next is on the disk     the old key is in use: the next start removes node.key.next
 * the database is sealed anew      the new key is in use: the next start renames node.key.next
 * node.key.next is now node.key    done
 * ```
 */
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { keyBytes } from '../../api/store/seal.ts';
import type { Vault } from '../../api/store/vault.ts';
import type { Random } from '../../specs/clock.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { RotatedKey } from '../../specs/resources.ts';
import { syncDirectory, writePrivate, writeSecret } from './secret-file.ts';

function filesOf(dataDir: string): { current: string; next: string; part: string } {
  const current = join(dataDir, 'node.key');
  return { current, next: `${current}.next`, part: `${current}.next.part` };
}

/** The key in `node.key`, which is made if it is not there. Throws when the file holds anything else. */
export async function ensureNodeKey(
  dataDir: string,
  random: Random,
): Promise<{ key: Buffer; path: string; made: boolean }> {
  const { current: path } = filesOf(dataDir);
  const made = await writeSecret(path, random(keyBytes), false);
  const key = await readKey(path);
  if (!key) throw new Error(`${path} was removed while it was read: try again`);
  return { key, path, made };
}

/** The keys that may be in use, for NodeStoreOptions. To be called while the directory is locked. */
export async function readNodeKeys(dataDir: string, random: Random): Promise<Buffer[]> {
  const { key } = await ensureNodeKey(dataDir, random);
  const next = await readKey(filesOf(dataDir).next);
  return next ? [key, next] : [key];
}

/** Ends a rotation that was cut off, one way or the other. @param inUse the key that the database has turned out to be under */
export async function settleNodeKey(dataDir: string, inUse: Buffer): Promise<void> {
  const { next, part } = filesOf(dataDir);
  await rm(part, { force: true });
  if ((await readKey(next))?.equals(inUse)) await promote(dataDir);
  else await rm(next, { force: true });
  await syncDirectory(dataDir);
}

/** Whether `node.key` may be about to change. */
export async function isRotating(dataDir: string): Promise<boolean> {
  return (await readKey(filesOf(dataDir).next)) !== undefined;
}

export interface RotationDeps {
  dataDir: string;
  vault: Pick<Vault, 'rotate'>;
  /** The key that is in use now. */
  nodeKey: () => Buffer;
  random: Random;
}

/**
 * Gives the node a new key. Whatever was proved by the old one is void, bootstrap tokens among it.
 * @returns a function that throws ProblemError `conflict` while it is under way already
 */
export function nodeKeyRotation({
  dataDir,
  vault,
  nodeKey,
  random,
}: RotationDeps): () => Promise<RotatedKey> {
  let underWay = false;

  async function rotate(): Promise<RotatedKey> {
    const { next } = filesOf(dataDir);
    const left = await readKey(next);
    if (left?.equals(nodeKey())) await promote(dataDir);
    // One that failed is tried again with its key: a commit that failed may yet turn out to be on the disk.
    const isUsable = left !== undefined && !left.equals(nodeKey());
    const key = isUsable ? left : await placeNext(dataDir, random);
    const counts = await vault.rotate(key);
    await promote(dataDir);
    const message =
      'Every bootstrap token made before is void. Make a new one on the node, if you need it: svc setup --force';
    return { ...counts, message };
  }

  return async () => {
    if (underWay) throw new ProblemError('conflict', 'The node key is being rotated already.');
    underWay = true;
    return rotate().finally(() => (underWay = false));
  };
}

/** Writes a new key to `node.key.next`. It is there as a whole, and on the disk, when this returns. */
async function placeNext(dataDir: string, random: Random): Promise<Buffer> {
  const { next, part } = filesOf(dataDir);
  const key = Buffer.from(random(keyBytes));
  await rm(part, { force: true });
  await writePrivate(part, key, 'wx');
  await rename(part, next);
  await syncDirectory(dataDir);
  return key;
}

async function promote(dataDir: string): Promise<void> {
  const { current, next } = filesOf(dataDir);
  await rename(next, current);
  await syncDirectory(dataDir);
}

/** @returns undefined when there is no such file */
async function readKey(path: string): Promise<Buffer | undefined> {
  try {
    const key = await readFile(path);
    if (key.length === keyBytes) return key;
    throw new Error(
      `${path} is no node key (${key.length} bytes instead of ${keyBytes}): restore it from a backup`,
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
