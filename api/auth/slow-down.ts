/**
 * Guessing passwords gets slower with every wrong one: for a name, whether or not there is such a user, and for an address.
 * A few tries are free, then each failure doubles the wait. Whoever has to wait is answered without a hash being computed.
 * The counts are in the store: a restart changes nothing. A name never waits longer than a minute, because anybody may
 * fail in its stead.
 */
import { createHmac } from 'node:crypto';
import type { Clock } from '../../specs/clock.ts';
import { timestamp } from '../../specs/meta.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { LoginFailure, LoginFailures } from '../store/login-failures.ts';

interface Pace {
  /** Failures without a wait. */
  free: number;
  /** Milliseconds. */
  longest: number;
}

const paceOfName: Pace = { free: 5, longest: 60_000 };
const paceOfAddress: Pace = { free: 20, longest: 15 * 60_000 };

/** Milliseconds to wait after the first failure that is not free. */
const firstWait = 1_000;

/** Failures are forgotten when none has followed for so long, in milliseconds. */
const forgetAfter = 86_400_000;

export interface Guess {
  /** As typed. */
  username: string;
  /** Of the client (client-address.ts). */
  address: string;
}

export interface SlowDown {
  /**
   * Runs one check of a password, and counts it when its result is false. A right one clears the name's count, but not the
   * address's. Throws `rate_limited`, and checks nothing, while the name or the address has to wait.
   */
  attempt(guess: Guess, check: () => Promise<boolean>): Promise<boolean>;
}

export interface SlowDownDeps {
  failures: LoginFailures;
  clock: Clock;
  /** Names are kept as keyed hashes: people type passwords there. */
  key: () => Buffer;
}

export function createSlowDown({ failures, clock, key: secret }: SlowDownDeps): SlowDown {
  /** Checks under way: many at once count as if they had failed already. */
  const running = new Map<string, number>();

  async function underWay<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    for (const key of keys) running.set(key, (running.get(key) ?? 0) + 1);
    try {
      return await work();
    } finally {
      for (const key of keys) {
        const left = (running.get(key) ?? 1) - 1;
        if (left > 0) running.set(key, left);
        else running.delete(key);
      }
    }
  }

  async function recall(keys: readonly string[]): Promise<Map<string, LoginFailure>> {
    const known = await failures.get(keys);
    const since = clock.now() - forgetAfter;
    const forgotten = keys.filter((key) => Date.parse(known.get(key)?.last_at ?? '') <= since);
    if (forgotten.length > 0) await failures.clear(forgotten);
    for (const key of forgotten) known.delete(key);
    return known;
  }

  return {
    async attempt({ username, address }, check) {
      const hash = (kind: string, text: string) =>
        createHmac('sha256', secret()).update(`login failure\0${kind}\0${text}`).digest('base64url');
      const [name, block] = [hash('name', username), hash('address', blockOf(address))];
      const known = await recall([name, block]);
      const now = clock.now();
      const wait = (key: string, pace: Pace) => waitOf(known.get(key), running.get(key) ?? 0, now, pace);
      const left = Math.max(wait(name, paceOfName), wait(block, paceOfAddress));
      if (left > 0) {
        throw new ProblemError('rate_limited', 'Too many wrong passwords. Try again after a while.', {
          retryAfter: left / 1_000,
        });
      }
      return underWay([name, block], async () => {
        const right = await check();
        if (!right) await failures.add([name, block], timestamp(clock.now()));
        else if (known.has(name)) await failures.clear([name]);
        return right;
      });
    },
  };
}

/** Milliseconds until the next try. A clock that went back makes nobody wait longer. */
function waitOf(known: LoginFailure | undefined, running: number, now: number, pace: Pace): number {
  const over = (known?.failures ?? 0) + running - pace.free;
  if (over < 0) return 0;
  const pause = Math.min(pace.longest, firstWait * 2 ** over);
  const last = running > 0 || known === undefined ? now : Date.parse(known.last_at);
  return Math.min(pause, last + pause - now);
}

/** What one client has at will: an IPv4 address, an IPv6 network of 64 bits. */
export function blockOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  // A dotted end stands for two groups.
  const width = after.length + (after.at(-1)?.includes('.') === true ? 1 : 0);
  if (tail !== undefined) groups.push(...Array<string>(Math.max(0, 8 - groups.length - width)).fill('0'));
  const network = [...groups, ...after].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}
