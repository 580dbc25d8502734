/**
 * Which new passwords are refused (NIST SP 800-63B, section 5.1.1.2): what is on lists of common ones, repeats or counts, or
 * is made of the username. How long one must be is the schema's to say.
 */
import type { Violation } from '../../specs/problem.ts';
import { invalid } from '../validation.ts';

/** Shorter ones are refused by the schema. */
const least = 10;

/** Throws `invalid` with the reason when the password may not be this user's. */
export async function requireGoodPassword(password: string, username: string): Promise<void> {
  const violations = await passwordViolations(password, username);
  if (violations.length > 0) throw invalid(violations);
}

/** Every reason why a new password, in `/password` of a body, is refused; none when it is good. */
export async function passwordViolations(password: string, username: string): Promise<Violation[]> {
  const text = password.toLowerCase();
  const reasons: string[] = [];
  if (await isCommon(text)) reasons.push('is one of the most common passwords');
  if (stem(text) === stem(username)) reasons.push('is made of the username');
  if (repeats(text)) reasons.push('repeats a shorter text');
  if (counts(text)) reasons.push('is a run of characters in order');
  return reasons.map((message) => ({ path: '/password', message }));
}

let common: Promise<ReadonlySet<string>> | undefined;

/** As it is, and without the signs around it. */
async function isCommon(text: string): Promise<boolean> {
  common ??= loadCommon();
  const known = await common;
  return known.has(text) || known.has(text.replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, ''));
}

/** Only when it is first asked for: unpacking the list takes longer than the rest of a start. */
async function loadCommon(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].filter((entry) => entry.length >= least));
}

/** Without digits and signs at either end. */
function stem(text: string): string {
  return text.replace(/^[^a-z]+|[^a-z]+$/g, '') || text;
}

/** Whether it is a text shorter than a password may be, at least twice, the last time perhaps not whole. */
function repeats(text: string): boolean {
  const longest = Math.min(least - 1, Math.floor(text.length / 2));
  for (let period = 1; period <= longest; period += 1)
    if (text.slice(period) === text.slice(0, -period)) return true;
  return false;
}

/** abcdefghij, 9876543210. */
function counts(text: string): boolean {
  const steps = new Set<number>();
  for (let at = 1; at < text.length; at += 1) steps.add(text.charCodeAt(at) - text.charCodeAt(at - 1));
  const [step] = steps;
  return steps.size === 1 && step !== undefined && Math.abs(step) === 1;
}
