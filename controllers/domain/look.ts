/**
 * Looks at a hostname as the world sees it: asks DNS where it leads, and each of those addresses for the challenge. Says in
 * words what was seen; of an answer's body nothing, for whoever names the host must not read what lies behind it.
 */
import { challengePath } from '../../specs/domain.ts';
import type { Clock } from '../../specs/clock.ts';
import { allowedFor, type Cidr } from '../network/addresses.ts';
import type { GuardedFetch } from '../network/guarded-fetch.ts';
import type { Resolve } from '../network/resolve.ts';

/** What was seen of an address. */
export interface Seen {
  address: string;
  /** The challenge came back. */
  isHere: boolean;
  /** What it did, to be read after the address. */
  words: string;
}

/** What was seen of a hostname; `failed` is DNS' own word when it gave no answer. */
export type Sighting = { seen: Seen[] } | { failed: string };

/** Rejects only with the reason of its signal. */
export type Look = (hostname: string, token: string, signal: AbortSignal) => Promise<Sighting>;

export interface LookDeps {
  resolve: Resolve;
  fetch: GuardedFetch;
  clock: Clock;
  /** Port at which the world reaches the ingress. */
  port: number;
  /** Special addresses that the node may fetch from. */
  allow: readonly Cidr[];
}

/** Milliseconds for DNS and for the fetch, each. */
const within = 10_000;

/** Bytes: more than any token. */
const bodyLimit = 1024;

export function createLook(deps: LookDeps): Look {
  return async (hostname, token, signal) => {
    const asked = await limited(deps.clock, signal, (limit) => deps.resolve(hostname, limit));
    if ('late' in asked) return { failed: 'no answer in time' };
    if ('error' in asked) return { failed: codeOf(asked.error) ?? 'no usable answer' };
    const seen = asked.value.map((address) => lookAt({ hostname, token, address }, deps, signal));
    return { seen: await Promise.all(seen) };
  };
}

interface Aim {
  hostname: string;
  token: string;
  address: string;
}

async function lookAt({ hostname, token, address }: Aim, deps: LookDeps, signal: AbortSignal): Promise<Seen> {
  const { port, allow, clock, fetch } = deps;
  const not = (words: string): Seen => ({ address, isHere: false, words });
  if (!allowedFor(address, 'domain', allow)) return not('is no public address');
  const order = { address, port, hostname, path: challengePath(token), limit: bodyLimit };
  const asked = await limited(clock, signal, (limit) => fetch(order, limit));
  if ('late' in asked) return not(`gave no answer on port ${port} in ${within / 1000} s`);
  if ('error' in asked) return not(failure(asked.error, port));
  const { status, body } = asked.value;
  if (status === 200 && body === token) return { address, isHere: true, words: 'answered the challenge' };
  if (status === 200) return not('answered something else');
  return not(
    status >= 300 && status < 400
      ? `answered with a redirect (${status}), not with the challenge itself`
      : `answered with status ${status}`,
  );
}

function failure(error: unknown, port: number): string {
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return `refused a connection to port ${port}`;
  return `could not be asked on port ${port}${code === undefined ? '' : ` (${code})`}`;
}

function codeOf(error: unknown): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

type Limited<T> = { value: T } | { error: unknown } | { late: true };

/** Gives the work up after its time. Rejects with the reason of the signal. */
async function limited<T>(
  clock: Clock,
  signal: AbortSignal,
  work: (limit: AbortSignal) => Promise<T>,
): Promise<Limited<T>> {
  const late = new AbortController();
  const cancel = clock.after(within, () => late.abort());
  try {
    return { value: await work(AbortSignal.any([signal, late.signal])) };
  } catch (error) {
    signal.throwIfAborted();
    return late.signal.aborted ? { late: true } : { error };
  } finally {
    cancel();
  }
}
