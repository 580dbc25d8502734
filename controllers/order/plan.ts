/**
 * Decides what an order needs next. Pure. One thing in a pass, each written down before the next is begun, so that a pass that
 * is cut off anywhere goes on where it was: what was asked of the authority is found again there.
 */
import type { Row } from '../../specs/index.ts';
import type { Observed } from './observe.ts';
import type { Step } from './steps.ts';

export interface Decision {
  steps: Step[];
  /** Milliseconds. */
  requeueAfter?: number;
}

/** Milliseconds between two looks at what the authority is doing. */
const pollEvery = 2_000;

/** Milliseconds from the beginning to the end, whatever comes in between; usually it takes seconds. */
const orderWithin = 30 * 60_000;

/** Milliseconds for it to be made at the authority: until then another authority may as well be asked. */
const madeWithin = 2 * 60_000;

export function plan(row: Row<'Order'>, observed: Observed, now: number): Decision {
  const { challenges } = observed;
  const { phase, url } = row.status;
  if (row.deleted_at !== null) return remove(challenges);
  if (phase === 'Issued' || phase === 'Failed') return { steps: [] };
  const left = Date.parse(row.created_at) + (url === null ? madeWithin : orderWithin) - now;
  if (left <= 0)
    return fail(row.status.last_error ?? 'The certificate authority did not finish the order in time.');
  if (url === null) return { steps: [{ do: 'make' }], requeueAfter: 0 };
  const failed = challenges.find(({ status }) => status.phase === 'Failed');
  if (failed) return fail(failed.status.last_error ?? 'The challenge failed.');
  if (observed.remote === undefined) return { steps: [], requeueAfter: left };
  return advance(observed, observed.remote, url);
}

function advance(
  { challenges, authorization }: Observed,
  remote: Exclude<Observed['remote'], undefined>,
  url: string,
): Decision {
  const { certificate, finalize } = remote;
  switch (remote.status) {
    case 'pending':
      return prove(authorization, challenges);
    case 'ready':
      return { steps: [{ do: 'finalize', order: { url, finalize } }], requeueAfter: pollEvery };
    case 'valid':
      if (certificate !== null) return { steps: [{ do: 'download', url: certificate }] };
      return { steps: [], requeueAfter: pollEvery };
    case 'processing':
      return { steps: [], requeueAfter: pollEvery };
    case 'invalid':
      return fail(remote.error ?? 'The certificate authority gave the order up.');
  }
}

/** One hostname, so one authorization; one that is valid from before needs no challenge (RFC 8555, 7.1.4). */
function prove(authorization: Observed['authorization'], challenges: readonly Row<'Challenge'>[]): Decision {
  if (authorization === undefined)
    return fail('The certificate authority asks for no proof that svc can give.');
  const { status, challenge, url } = authorization;
  if (status === 'valid' || (status === 'pending' && challenges.length > 0))
    return { steps: [], requeueAfter: pollEvery };
  if (status !== 'pending')
    return fail(challenge?.error ?? 'The certificate authority did not accept the proof.');
  if (challenge === null)
    return fail('The certificate authority offers no http-01 challenge for this hostname.');
  return { steps: [{ do: 'challenge', authorization: url, challenge }] };
}

function fail(error: string): Decision {
  return { steps: [{ do: 'fail', error, heldUntil: null }] };
}

function remove(challenges: readonly Row<'Challenge'>[]): Decision {
  const living = challenges.filter(({ deleted_at: deleted }) => deleted === null).map(({ id }) => id);
  if (living.length > 0) return { steps: [{ do: 'removeChallenges', ids: living }] };
  return { steps: challenges.length > 0 ? [] : [{ do: 'purge' }] };
}
