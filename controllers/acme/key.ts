/** Private keys of accounts and certificates. */
import { generateKeyPairSync } from 'node:crypto';

/** ECDSA P-256: what every authority and every client takes (RFC 8555, 6.2; RFC 8446, 9.1). PEM. */
export function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
