/**
 * Boxes: AES-256-GCM under keys that HKDF-SHA256 (RFC 5869) derives from the node key, one for each purpose and version.
 * Pure: knows no rows. A nonce is 96 random bits, which NIST SP 800-38D (8.3) allows for 2^32 boxes under one key.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import type { Random } from '../../specs/clock.ts';

/** Bytes of a node key, and of every key derived from it. */
export const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
/** First part of a box: which format the rest has. */
const format = '1';

/** What a box is bound to: whatever differs here does not open it. */
export interface Binding {
  kind: string;
  owner: string;
  name: string;
  version: number;
  project: string;
  key_version: number;
}

/**
 * The key that values are sealed under.
 * @param nodeKey 32 bytes
 * @param version of the node key, 1 for the first
 */
export function sealingKey(nodeKey: Buffer, version: number): Buffer {
  return derive(nodeKey, `svc/1 seal aes-256-gcm key-version=${version}`);
}

/** Tells node keys apart in the database and tells nothing about them: 64 hexadecimal digits. */
export function fingerprintOf(nodeKey: Buffer): string {
  return derive(nodeKey, 'svc/1 node-key fingerprint').toString('hex');
}

/** Throws unless the value is whole Unicode, which is all that UTF-8 keeps. @returns `1.` and the nonce, the ciphertext and the tag in base64url */
export function sealBox(key: Buffer, binding: Binding, value: string, random: Random): string {
  if (!value.isWellFormed())
    throw new Error('A value to be sealed holds half a character (a lone surrogate).');
  const nonce = random(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(associatedData(binding));
  const sealed = [nonce, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return `${format}.${Buffer.concat(sealed).toString('base64url')}`;
}

/** Bytes of the value in a box, as UTF-8. @param length of the box, in characters */
export function valueBytes(length: number): number {
  return Math.floor(((length - format.length - 1) * 3) / 4) - nonceBytes - tagBytes;
}

/** Throws an Error, which tells nothing of the value, unless the box is whole and was sealed with this key and binding. */
export function openBox(key: Buffer, binding: Binding, box: string): string {
  const bytes = Buffer.from(box.slice(format.length + 1), 'base64url');
  // Base64 has several texts for the same bytes; only the one that was written counts.
  if (box !== `${format}.${bytes.toString('base64url')}`) throw new Error('The box is of no known format.');
  if (bytes.length < nonceBytes + tagBytes) throw new Error('The box is cut off.');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(associatedData(binding));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  const value = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
  return Buffer.concat([value, decipher.final()]).toString('utf8');
}

/** A JSON array, because texts that are only joined can be cut in more than one way. */
function associatedData({ kind, owner, name, version, project, key_version }: Binding): Buffer {
  return Buffer.from(JSON.stringify([kind, owner, name, version, project, key_version]));
}

/** The node key is uniformly random, so that no salt is needed (RFC 5869, 3.1). */
function derive(nodeKey: Buffer, info: string): Buffer {
  if (nodeKey.length !== keyBytes) {
    throw new Error(`A node key has ${keyBytes} bytes, and this one ${nodeKey.length}.`);
  }
  return Buffer.from(hkdfSync('sha256', nodeKey, '', info, keyBytes));
}
