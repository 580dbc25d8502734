/** Session and API tokens: 256 random bits behind a prefix that secret scanners can find. Only hashes are stored. */
import { hash as digest } from 'node:crypto';
import type { Random } from '../../specs/clock.ts';

export type TokenKind = 'session' | 'api';

/** @returns the token, to be shown once, and what to store of it */
export function mintToken(kind: TokenKind, random: Random): { token: string; hash: string } {
  const token = `svc_${kind}_${Buffer.from(random(32)).toString('base64url')}`;
  return { token, hash: hashToken(token) };
}

/** A fast hash is right here: there is nothing to guess in 256 random bits. */
export function hashToken(token: string): string {
  return digest('sha256', token, 'hex');
}
