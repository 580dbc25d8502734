/** What becomes of an authority's bad days: each of them once asked, in bounded time, and told in one sentence. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { AcmeError } from '../../../controllers/acme/acme.ts';
import { openAcme } from '../../../controllers/acme/client.ts';
import { hostileAuthority, problem, type Behaviour } from '../../support/hostile-authority.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { aStore } from '../../support/store.ts';

async function scene(t: TestContext, trusted = true) {
  const authority = await hostileAuthority(t);
  const clock = new ManualClock();
  const store = await aStore({ clock });
  const ca = trusted ? authority.ca : null;
  const acme = openAcme({ store, vault: store.vault, clock, email: 'ops@example.test', ca });
  t.after(async () => {
    await acme.close();
    await store.close();
  });
  const order = (signal = new AbortController().signal): Promise<AcmeError> =>
    acme.newOrder({ directory: authority.directory, signal }, 'web.example.test').then(
      (url) => assert.fail(`an order: ${url}`),
      (error: unknown) => (error instanceof AcmeError ? error : assert.fail(String(error))),
    );
  return { authority, acme, clock, store, order };
}

const html = (status: number, headers: Record<string, string> = {}): Behaviour => {
  return (_request, response) => void response.writeHead(status, headers).end('<html>');
};

const cases: [string, Behaviour, Pick<AcmeError, 'code' | 'type' | 'retryAfter'>, RegExp][] = [
  [
    'breaks off',
    (request) => request.socket.destroy(),
    { code: 'unavailable', type: undefined, retryAfter: undefined },
    /could not be asked/,
  ],
  [
    'is overloaded',
    html(503, { 'retry-after': '90' }),
    { code: 'unavailable', type: undefined, retryAfter: 90_000 },
    /status 503/,
  ],
  [
    'leads elsewhere',
    html(302, { location: 'http://169.254.169.254/' }),
    { code: 'unavailable', type: undefined, retryAfter: undefined },
    /status 302/,
  ],
  [
    'has had enough',
    problem(429, 'rateLimited', { 'retry-after': '3600' }),
    { code: 'limited', type: 'rateLimited', retryAfter: 3_600_000 },
    /takes no more requests for now: out of luck$/,
  ],
  [
    'has had enough for a month',
    problem(429, 'rateLimited', { 'retry-after': '2592000' }),
    { code: 'limited', type: 'rateLimited', retryAfter: 7 * 24 * 3_600_000 },
    /out of luck$/,
  ],
  [
    'says when by a date',
    problem(429, 'rateLimited', { 'retry-after': 'Tue, 01 Jan 2030 01:00:00 GMT' }),
    { code: 'limited', type: 'rateLimited', retryAfter: 3_600_000 },
    /out of luck$/,
  ],
  [
    'refuses',
    problem(403, 'rejectedIdentifier'),
    { code: 'refused', type: 'rejectedIdentifier', retryAfter: undefined },
    /refused: out of luck$/,
  ],
  [
    'likes no nonce',
    problem(400, 'badNonce'),
    { code: 'unavailable', type: undefined, retryAfter: undefined },
    /could not be asked/,
  ],
  [
    'talks nonsense',
    html(201, { location: 'x' }),
    { code: 'unavailable', type: undefined, retryAfter: undefined },
    /could not be asked/,
  ],
  [
    'never stops',
    (_request, response) => void response.end('x'.repeat(1_000_001)),
    { code: 'unavailable', type: undefined, retryAfter: undefined },
    /more than an answer can be/,
  ],
];

for (const [what, behaviour, { code, type, retryAfter }, message] of cases) {
  test(`an authority that ${what}`, async (t) => {
    const { authority, order } = await scene(t);
    authority.behave(behaviour);
    const error = await order();
    assert.match(error.message, message);
    assert.deepEqual([error.code, error.type, error.retryAfter], [code, type, retryAfter]);
    // The library repeats a bad nonce, and nothing else.
    assert.equal(authority.asked(), type === undefined && what.includes('nonce') ? 6 : 1);
  });
}

for (const [what, behaviour] of [
  ['never answers', () => undefined],
  [
    'goes silent in the middle of its answer',
    (_request, response) => void response.writeHead(201).write('{'),
  ],
] satisfies [string, Behaviour][]) {
  test(`an authority that ${what} is given up after a minute`, async (t) => {
    const { authority, order, clock } = await scene(t);
    authority.behave(behaviour);
    const ended = order();
    await eventually(() => authority.asked() === 1);
    await clock.advance(60_000);
    const { code, message } = await ended;
    assert.deepEqual([code, /took too long/.test(message)], ['unavailable', true]);
  });
}

test('nobody waits for it longer than the pass', async (t) => {
  const { authority, order } = await scene(t);
  authority.behave(() => undefined);
  const pass = new AbortController();
  const ended = order(pass.signal);
  await eventually(() => authority.asked() === 1);
  pass.abort();
  assert.equal((await ended).code, 'unavailable');
});

test('one that nobody vouches for is not spoken to', async (t) => {
  const { order } = await scene(t, false);
  assert.match((await order()).message, /SELF_SIGNED/);
});

test('the key of the account is sealed, and stays the same', async (t) => {
  const { authority, order, store } = await scene(t);
  authority.behave(problem(403, 'rejectedIdentifier'));
  await order();
  await order();
  const key = { kind: 'acme-account-key', owner: authority.directory, name: '', version: 1 } as const;
  assert.match(await store.vault.open(key), /^-----BEGIN PRIVATE KEY-----/);
  assert.equal((await store.vault.list(authority.directory, 'acme-account-key')).length, 1);
});
