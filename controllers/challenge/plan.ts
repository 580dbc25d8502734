/**
 * Decides what a challenge needs next. Pure. The authority is told to look only when every ingress worker answers: it looks
 * from several places at once, and one answer that is missing fails the whole order.
 */
import type { Row } from '../../specs/index.ts';
import type { ChallengeStatus } from '../../specs/certificate.ts';
import type { Observed } from './observe.ts';
import type { Step } from './steps.ts';

export interface Decision {
  steps: Step[];
  /** Milliseconds. */
  requeueAfter?: number;
}

/** Milliseconds between two looks at what the authority has found. */
const pollEvery = 2_000;

export function plan(row: Row<'Challenge'>, { answered, authorization }: Observed): Decision {
  const { phase } = row.status;
  if (row.deleted_at !== null) return { steps: [{ do: 'purge' }] };
  if (phase === 'Valid' || phase === 'Failed') return { steps: [] };
  if (phase === 'Pending' && !answered) return { steps: [] };
  return authorization === undefined ? { steps: [], requeueAfter: pollEvery } : follow(phase, authorization);
}

function follow(
  phase: 'Pending' | 'Presented',
  { status, challenge }: Exclude<Observed['authorization'], undefined>,
): Decision {
  if (status === 'valid') return conclude({ phase: 'Valid', last_error: null });
  if (status !== 'pending' || challenge === null || challenge.status === 'invalid')
    return conclude({ phase: 'Failed', last_error: wordsOf(challenge?.error ?? null) });
  if (phase === 'Pending' && challenge.status === 'pending')
    return { steps: [{ do: 'present' }], requeueAfter: pollEvery };
  // Told already, maybe without that being written down: asking twice is an error to some authorities.
  return { steps: [{ do: 'note', status: { phase: 'Presented' } }], requeueAfter: pollEvery };
}

function conclude(status: Partial<ChallengeStatus>): Decision {
  return { steps: [{ do: 'note', status }] };
}

function wordsOf(error: string | null): string {
  const seen = error === null ? '' : `: ${error}`;
  return `The certificate authority could not verify that the hostname is served here${seen}`;
}
