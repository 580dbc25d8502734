/** `svc setup`: the node's key, and the bootstrap token that it can verify. Both exist before the first `svc serve`. */
import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { mintBootstrapToken } from '../../api/auth/bootstrap-token.ts';
import { prepareDataDir } from './directories.ts';

export interface SetupOptions {
  dataDir: string;
  /** Client configuration directory: the token goes there. */
  configDir: string;
  /** Write a new token although there is one. The old one stays valid: both are signed by the node's key. */
  force: boolean;
}

export interface SetupResult {
  keyPath: string;
  tokenPath: string;
  /** Whether each was made now (else it was there). */
  keyMade: boolean;
  tokenMade: boolean;
}

export async function setup({ dataDir, configDir, force }: SetupOptions): Promise<SetupResult> {
  await prepareDataDir(dataDir);
  const { key, path: keyPath, made: keyMade } = await ensureNodeKey(dataDir);
  await mkdir(configDir, { recursive: true, mode: 0o700 });
  const tokenPath = join(configDir, 'bootstrap.token');
  const token = mintBootstrapToken(key, randomBytes);
  const tokenMade = await writeSecret(tokenPath, `${token}\n`, force);
  return { keyPath, tokenPath, keyMade, tokenMade };
}

/** The node key: 32 random bytes, made once. @throws when the file holds anything else */
export async function ensureNodeKey(dataDir: string): Promise<{ key: Buffer; path: string; made: boolean }> {
  const path = join(dataDir, 'node.key');
  const made = await writeSecret(path, randomBytes(32), false);
  const key = await readFile(path);
  if (key.length !== 32)
    throw new Error(`${path} is no node key (${key.length} bytes instead of 32): restore it from a backup`);
  return { key, path, made };
}

/** Writes a file that only its owner reads, whole or not at all. @returns false when one is there that is to stay */
async function writeSecret(path: string, content: string | Buffer, replace: boolean): Promise<boolean> {
  const part = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(part, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    if (replace) await rename(part, path);
    else await link(part, path);
    await chmod(path, 0o600);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(part, { force: true });
  }
}
