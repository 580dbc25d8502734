/** `npm run bench -- auth`: how long the API takes to say no, and whether that tells why. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { passwordCost } from '../../api/auth/passwords.ts';
import { timestamp } from '../../specs/meta.ts';
import { bearer, giveToken, giveUser, hashOf, testApi, type TestApi } from '../support/api.ts';
import { overlap, percentile, table } from './stats.ts';

/** One kind of refusal. @returns the request that is refused */
type Refusal = () => { path: string; init?: RequestInit } | Promise<{ path: string; init?: RequestInit }>;

interface Group {
  title: string;
  status: number;
  /** The first is what the others must look like. */
  refusals: Readonly<Record<string, Refusal>>;
  /** Least number of each, and share of the time. */
  enough: number;
  share: number;
}

const warmUp = 5;

export async function benchAuth(seconds: number): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-auth-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const api = await testApi({ after: (close) => stack.defer(close) }, { file: join(dir, 'svc.db') });
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
  for (const group of [await wrongLogins(api), await wrongTokens(api)])
    process.stdout.write(`${await measure(api, url, group, seconds)}\n\n`);
}

async function wrongLogins({ accounts, clock }: TestApi): Promise<Group> {
  await giveUser(accounts, clock, 'ann', { password_hash: await hashOf('correct horse', passwordCost) });
  const cheaper = { ...passwordCost, memoryCost: passwordCost.memoryCost / 4 };
  await giveUser(accounts, clock, 'bob', { password_hash: await hashOf('correct horse', cheaper) });
  const login = (username: string) => ({
    path: '/v1/auth/login',
    init: {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: 'a wrong horse' }),
    },
  });
  return {
    ...{ title: 'Wrong username or password', status: 401, enough: 40, share: 0.7 },
    refusals: {
      'unknown user': () => login(`x${randomBytes(4).toString('hex')}`),
      'wrong password': () => login('ann'),
      'wrong password, older hash': () => login('bob'),
    },
  };
}

async function wrongTokens({ accounts, clock, app }: TestApi): Promise<Group> {
  const user = await giveUser(accounts, clock, 'cid');
  const me = (token?: string) => ({
    path: '/v1/me',
    init: token === undefined ? {} : { headers: bearer(token) },
  });
  const expired = await giveToken(accounts, clock, user, 'session', timestamp(clock.now()));
  const revoked = await giveToken(accounts, clock, user, 'session');
  await app.inject({ method: 'POST', url: '/v1/auth/logout', headers: bearer(revoked) });
  return {
    ...{ title: 'No valid token', status: 401, enough: 1_000, share: 0.3 },
    refusals: {
      missing: () => me(),
      unknown: () => me(`svc_session_${randomBytes(32).toString('base64url')}`),
      revoked: () => me(revoked),
      expired: () => me(expired),
    },
  };
}

/** Asks in turns, each round in another order, over one connection after the other. */
async function measure({ store }: TestApi, url: string, group: Group, seconds: number): Promise<string> {
  const { title, status, refusals, enough, share } = group;
  const times = new Map(Object.keys(refusals).map((name): [string, number[]] => [name, []]));
  const end = performance.now() + seconds * 1_000 * share;
  for (let round = -warmUp; round < enough || performance.now() < end; round += 1) {
    for (const [name, refusal] of shuffled(Object.entries(refusals))) {
      const { path, init } = await refusal();
      // The slow-down would answer instead.
      await store.loginFailures.prune('9999-12-31T00:00:00.000Z');
      const start = performance.now();
      const response = await fetch(`${url}${path}`, init);
      await response.arrayBuffer();
      const took = performance.now() - start;
      if (response.status !== status) throw new Error(`${name}: ${response.status} instead of ${status}`);
      if (round >= 0) times.get(name)?.push(took);
    }
  }
  const [first = []] = times.values();
  const cells = [...times].map(([name, took]) => [
    name,
    ...[0.05, 0.5, 0.95].map((share) => percentile(took, share).toFixed(2)),
    `${(overlap(took, first) * 100).toFixed(0)} %`,
  ]);
  return `${title}, ms, ${first.length} of each\n${table([['', 'p5', 'p50', 'p95', 'overlap'], ...cells])}`;
}

function shuffled<T>(items: readonly T[]): T[] {
  const keyed = items.map((item): [number, T] => [randomBytes(4).readUInt32LE(), item]);
  return keyed.sort(([a], [b]) => a - b).map(([, item]) => item);
}
