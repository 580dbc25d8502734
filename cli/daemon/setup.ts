/** `svc setup`: the node's key, and the bootstrap token that it can verify. Both exist before the first `svc serve`. */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { mintBootstrapToken } from '../../api/auth/bootstrap-token.ts';
import { prepareDataDir } from './directories.ts';
import { ensureNodeKey, isRotating } from './node-key.ts';
import { writeSecret } from './secret-file.ts';

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
  // Asked before the key is read: a token must not be signed with a key that is on its way out.
  if (await isRotating(dataDir)) {
    throw new Error(
      `the key of the node in ${dataDir} is being rotated, or that was interrupted: try again in a moment, ` +
        'and if it stays so, start the node with svc serve first, which ends the rotation',
    );
  }
  const { key, path: keyPath, made: keyMade } = await ensureNodeKey(dataDir, randomBytes);
  await mkdir(configDir, { recursive: true, mode: 0o700 });
  const tokenPath = join(configDir, 'bootstrap.token');
  const token = mintBootstrapToken(key, randomBytes);
  const tokenMade = await writeSecret(tokenPath, `${token}\n`, force);
  return { keyPath, tokenPath, keyMade, tokenMade };
}
