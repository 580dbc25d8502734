/** What follows from an authority that did not do as it was asked. Pure. */
import { timestamp } from '../../specs/meta.ts';
import type { AcmeError } from '../acme/acme.ts';
import type { Step } from './steps.ts';

export type Consequence =
  /** The order goes on by and by. */
  | { how: 'wait'; error: string; ms: number }
  /** It is over. */
  | { how: 'fail'; step: Extract<Step, { do: 'fail' }> };

/** Milliseconds until one that did not answer is asked again, if it says nothing else. */
const askAgain = 15_000;

/** An authority that does not answer may do so in a moment; one that says no has said so. */
export function consequenceOf(
  { code, message, retryAfter }: Pick<AcmeError, 'code' | 'message' | 'retryAfter'>,
  now: number,
): Consequence {
  if (code === 'unavailable') return { how: 'wait', error: message, ms: Math.max(askAgain, retryAfter ?? 0) };
  const heldUntil = retryAfter === undefined ? null : timestamp(now + retryAfter);
  return { how: 'fail', step: { do: 'fail', error: message, heldUntil } };
}
