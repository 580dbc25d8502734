/** The bytes of an Ed25519 key as a key of Node's. */
import { createPrivateKey, type KeyObject } from 'node:crypto';

/** What comes before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410, section 7). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** @param seed its 32 bytes; throws when there are more or fewer */
export function ed25519Key(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
}
