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
  domain: 'dom',
  certificate: 'crt',
  order: 'ord',
  challenge: 'chl',
  'known-host': 'knh',
  volume: 'vol',
  job: 'job',
  run: 'run',
  event: 'evt',
  audit: 'aud',
  request: 'req',
} as const;

export type IdKind = keyof typeof idPrefixes;

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** A number below 2^53, in base 32. */
function encode(value: number, length: number): string {
  let text = '';
  for (let rest = value, i = 0; i < length; i++, rest = Math.floor(rest / 32))
    text = alphabet.charAt(rest % 32) + text;
  return text;
}

/**
 * A new id: the kind's prefix, then 48 bits of time and 80 random bits in Crockford's base 32 (the layout of a
 * ULID, lower case), so that ids sort by age.
 * @param now milliseconds since the epoch
 * @param random exactly 10 random bytes
 */
export function newId(kind: IdKind, now: number, random: Uint8Array): string {
  // Every five bytes are eight digits. Numbers, because every request has an id and big integers cost eight times as much.
  const half = (from: number): string => {
    const bytes = random.subarray(from, from + 5);
    return encode(
      bytes.reduce((sum, byte) => sum * 256 + byte, 0),
      8,
    );
  };
  return `${idPrefixes[kind]}_${encode(now, 10)}${half(0)}${half(5)}`;
}

/** Whether a text is shaped like an id of this kind; says nothing about whether the row exists. */
export function isId(kind: IdKind, text: string): boolean {
  return new RegExp(`^${idPrefixes[kind]}_[0-9a-hjkmnp-tv-z]{26}$`).test(text);
}

/** RFC 3339 in UTC with milliseconds, as every answer and log line has it. */
export function timestamp(now: number): string {
  return new Date(now).toISOString();
}
