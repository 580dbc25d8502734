/** What follows from an authority that did not do as it was asked. Pure. */
import type { ChallengeStatus } from '../../specs/certificate.ts';
import type { AcmeError } from '../acme/acme.ts';

export interface Consequence {
  status: Partial<ChallengeStatus>;
  /** Milliseconds; undefined: it is over. */
  requeueAfter?: number;
}

/** Milliseconds until one that did not answer is asked again, if it says nothing else. */
const askAgain = 15_000;

export function consequenceOf({ code, message, retryAfter }: AcmeError): Consequence {
  if (code === 'refused') return { status: { phase: 'Failed', last_error: message } };
  // How long that may go on is the order's business.
  return { status: { last_error: message }, requeueAfter: Math.max(askAgain, retryAfter ?? 0) };
}
