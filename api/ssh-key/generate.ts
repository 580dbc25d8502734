/** A new SSH key, made on the node, so that its private half never travels. */
import type { Random } from '../../specs/clock.ts';
import { ed25519Key } from './ed25519.ts';
import { readPrivateKey, type SshKey } from './private-key.ts';

/** An Ed25519 key: every Git host takes it, and it is the smallest. */
export async function generateKey(random: Random, comment: string): Promise<SshKey> {
  const pem = ed25519Key(random(32)).export({ format: 'pem', type: 'pkcs8' });
  const read = await readPrivateKey(pem.toString(), comment);
  if ('fault' in read) throw new Error(`The new SSH key ${read.fault}.`);
  return read.key;
}
