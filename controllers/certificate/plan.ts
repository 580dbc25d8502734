/**
 * Decides what a certificate needs next. Pure. One order at a time; one that has ended is taken in, and the next comes when
 * the certificate is to be renewed, or after a pause when it failed. What is served goes on being served meanwhile.
 */
import type { Row } from '../../specs/index.ts';
import type { CertificateReason, Reason } from '../../specs/reasons.ts';
import type { Observed } from './observe.ts';
import type { Step } from './steps.ts';
import { choose } from './timing.ts';

export interface Decision {
  steps: Step[];
  /** Why nothing newer is there; undefined: nothing newer is due. */
  waiting?: { reason: Reason<typeof CertificateReason>; message: string };
  /** Milliseconds. */
  requeueAfter?: number;
}

/** Directory URLs in the order in which they are tried; null: certificates are not asked for. */
export type Directories = readonly [string, ...string[]] | null;

/** Milliseconds; longer waits are cut into such. */
const longestWait = 12 * 3_600_000;

export function plan(
  row: Row<'Certificate'>,
  { verified, orders }: Observed,
  directories: Directories,
  now: number,
): Decision {
  const living = orders.filter(({ deleted_at: deleted }) => deleted === null);
  if (row.deleted_at !== null) {
    if (living.length > 0) return { steps: [{ do: 'removeOrders', ids: living.map(({ id }) => id) }] };
    return { steps: orders.length > 0 ? [] : [{ do: 'purge' }] };
  }
  const [order] = living;
  if (order !== undefined) return follow(order);
  const due = row.status.chain === null ? now : Date.parse(row.status.renew_at ?? '') || now;
  if (due > now) return { steps: [], requeueAfter: Math.min(due - now, longestWait) };
  if (directories === null) return { steps: [], waiting: disabled };
  if (!verified) return { steps: [], waiting: unverified };
  return ask(row, directories, now);
}

function follow(order: Row<'Order'>): Decision {
  if (order.status.phase === 'Issued') return { steps: [{ do: 'take', order }] };
  if (order.status.phase === 'Failed') return { steps: [{ do: 'giveUp', order }] };
  const { last_error: trouble } = order.status;
  const message = trouble === null ? 'It is being asked for.' : `It is being asked for. ${trouble}`;
  return { steps: [], waiting: { reason: 'Ordering', message } };
}

function ask(row: Row<'Certificate'>, directories: Exclude<Directories, null>, now: number): Decision {
  const { failures, retry_at: retryAt, held, last_error: error } = row.status;
  const { directory, free } = choose(directories, failures, held, now);
  const start = Math.max(free, Date.parse(retryAt ?? '') || 0);
  if (start <= now) return { steps: [{ do: 'order', directory }], waiting: ordering };
  const reason = free > now ? 'RateLimited' : 'OrderFailed';
  const message = error ?? 'The last order failed.';
  return { steps: [], waiting: { reason, message }, requeueAfter: Math.min(start - now, longestWait) };
}

const disabled = {
  reason: 'AcmeDisabled',
  message: 'This node asks for no certificates: its operator has to set SERVICE_ACME_EMAIL.',
} as const;
const unverified = {
  reason: 'DomainNotVerified',
  message: 'It is asked for once the domain is verified.',
} as const;
const ordering = { reason: 'Ordering', message: 'It is being asked for.' } as const;
