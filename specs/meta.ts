/**
 * What every resource has: an id, a name, a generation and conditions.
 * Pure vocabulary: no clock and no randomness of its own (both are arguments).
 */
import { Type, type Static } from '@sinclair/typebox';

/** A DNS label (RFC 1123): what a project or service is called, and a part of its hostname. */
export const Name = Type.String({
  pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
  maxLength: 63,
  description: 'lower-case letters, digits and hyphens; at most 63 characters; no hyphen at either end',
});
export type Name = Static<typeof Name>;

/** The kinds of rows that have an id of their own, and the prefix of that id. */
export const idPrefixes = {
  project: 'prj',
  service: 'svc',
  deployment: 'dep',
  replica: 'rep',
  upload: 'upl',
  user: 'usr',
  token: 'tok',
  registry: 'reg',
  'deploy-key': 'key',
  audit: 'aud',
  request: 'req',
} as const;

export type IdKind = keyof typeof idPrefixes;

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

function encode(value: bigint, length: number): string {
  let text = '';
  for (let rest = value, i = 0; i < length; i++, rest >>= 5n)
    text = alphabet.charAt(Number(rest & 31n)) + text;
  return text;
}

/**
 * A new id: the kind's prefix, then 48 bits of time and 80 random bits in Crockford's base 32 (the layout of a
 * ULID, lower case), so that ids sort by age.
 * @param now milliseconds since the epoch
 * @param random exactly 10 random bytes
 */
export function newId(kind: IdKind, now: number, random: Uint8Array): string {
  const noise = random.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return `${idPrefixes[kind]}_${encode(BigInt(now), 10)}${encode(noise, 16)}`;
}

/** Whether a text is shaped like an id of this kind; says nothing about whether the row exists. */
export function isId(kind: IdKind, text: string): boolean {
  return new RegExp(`^${idPrefixes[kind]}_[0-9a-hjkmnp-tv-z]{26}$`).test(text);
}

/** RFC 3339 in UTC with milliseconds, as every answer and log line has it. */
export function timestamp(now: number): string {
  return new Date(now).toISOString();
}
