/**
 * Decides when a domain is looked at: when somebody asks to verify it, and, once it is verified, twice a day. Pure.
 *
 * Not before every ingress worker answers its challenge: until then it would be told that it points elsewhere.
 */
import type { Row } from '../../specs/index.ts';
import { revisionOf } from '../../specs/revision.ts';
import type { Observed } from './observe.ts';
import type { Step } from './steps.ts';

const halfADay = 12 * 3_600_000;

export interface Decision {
  steps: Step[];
  /** Milliseconds. */
  requeueAfter?: number;
}

export function plan(row: Row<'Domain'>, { isAnswered, certificates }: Observed, now: number): Decision {
  if (row.deleted_at !== null) return { steps: remove(certificates) };
  const left = timeLeft(row, now);
  if (left === undefined) return { steps: [] };
  if (left > 0) return { steps: [], requeueAfter: left };
  return { steps: [isAnswered ? { do: 'look' } : { do: 'awaitRoutes' }] };
}

/** Milliseconds until it is due; undefined: not before somebody asks. */
function timeLeft({ id, spec, status }: Row<'Domain'>, now: number): number | undefined {
  if (spec.attempt > status.attempt) return 0;
  if (status.phase !== 'Verified') return undefined;
  // All that were verified at once must not be looked at at once: each has an interval of its own, 12 h less up to a tenth.
  const share = parseInt(revisionOf(id).slice(0, 4), 16) / 0xffff;
  const last = Date.parse(status.checked_at ?? '') || 0;
  return Math.max(0, last + halfADay * (1 - share / 10) - now);
}

/** A certificate without its hostname is of no use. */
function remove(certificates: readonly Row<'Certificate'>[]): Step[] {
  const living = certificates.filter(({ deleted_at: deleted }) => deleted === null);
  if (living.length > 0) return [{ do: 'deleteCertificates', ids: living.map(({ id }) => id) }];
  return certificates.length > 0 ? [] : [{ do: 'purge' }];
}
