/** A new SSH key, made on the node, so that its private half never travels. */
import { createPrivateKey } from 'node:crypto';
import type { Random } from '../../specs/clock.ts';
import { readPrivateKey, type SshKey } from './private-key.ts';

/** What comes before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410, section 7). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** An Ed25519 key: every Git host takes it, and it is the smallest. */
export async function generateKey(random: Random, comment: string): Promise<SshKey> {
  const der = Buffer.concat([pkcs8Prefix, random(32)]);
  const pem = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({
    format: 'pem',
    type: 'pkcs8',
  });
  const read = await readPrivateKey(pem.toString(), comment);
  if ('fault' in read) throw new Error(`The new SSH key ${read.fault}.`);
  return read.key;
}
