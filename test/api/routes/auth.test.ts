import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { passwordCost } from '../../../api/auth/passwords.ts';
import type { Session } from '../../../specs/account.ts';
import { timestamp } from '../../../specs/meta.ts';
import { bearer, giveToken, giveUser, hashOf, testApi } from '../../support/api.ts';

const credentials = { username: 'ann', password: 'long enough 1' };
const day = 86_400_000;

describe('POST /v1/auth/login', () => {
  it('answers a session that works until it lies idle for too long', async (t) => {
    const api = await testApi(t, { fresh: true });
    await api.call('POST', '/v1/bootstrap', credentials, bearer(api.bootstrapToken));
    const answer = await api.call('POST', '/v1/auth/login', credentials, { authorization: '' });
    assert.equal(answer.headers['cache-control'], 'no-store');
    const { token, user } = answer.json<Session>();
    assert.match(token, /^svc_session_[\w-]{43}$/);
    assert.equal(user.username, 'ann');
    const works = async () => (await api.call('GET', '/v1/me', undefined, bearer(token))).status === 200;
    await api.clock.advance(30 * day - 1);
    assert.equal(await works(), true);
    await api.clock.advance(30 * day);
    assert.equal(await works(), false);
  });

  it('answers a session that ends at the time it says, however much it is used', async (t) => {
    const api = await testApi(t, { fresh: true });
    await api.call('POST', '/v1/bootstrap', credentials, bearer(api.bootstrapToken));
    const { token, expires_at } = (await api.call('POST', '/v1/auth/login', credentials)).json<Session>();
    const works = async () => (await api.call('GET', '/v1/me', undefined, bearer(token))).status === 200;
    assert.equal(expires_at, timestamp(api.clock.now() + 90 * day));
    for (let passed = 0; passed < 80; passed += 20) {
      assert.equal(await works(), true);
      await api.clock.advance(20 * day);
    }
    await api.clock.advance(10 * day - 1);
    assert.equal(await works(), true);
    await api.clock.advance(1);
    assert.equal(await works(), false);
  });

  it('ends sessions as the settings of the node say', async (t) => {
    const api = await testApi(t, { settings: { sessionIdleMs: 3_600_000, sessionMaxMs: 7_200_000 } });
    const password_hash = await hashOf(credentials.password);
    await giveUser(api.accounts, api.clock, 'ann', { password_hash });
    const { token, expires_at } = (await api.call('POST', '/v1/auth/login', credentials)).json<Session>();
    assert.equal(expires_at, timestamp(api.clock.now() + 7_200_000));
    await api.clock.advance(3_600_000);
    assert.equal((await api.call('GET', '/v1/me', undefined, bearer(token))).status, 401);
  });

  it('gives one answer for a wrong password and an unknown user', async (t) => {
    const api = await testApi(t, { fresh: true });
    await api.call('POST', '/v1/bootstrap', credentials, bearer(api.bootstrapToken));
    const headers = { 'x-request-id': 'same' };
    const wrong = await api.call('POST', '/v1/auth/login', { ...credentials, password: 'x' }, headers);
    const unknown = await api.call(
      'POST',
      '/v1/auth/login',
      { ...credentials, username: 'Nobody!' },
      headers,
    );
    assert.equal(wrong.status, 401);
    assert.equal(wrong.text, unknown.text);
    assert.equal(wrong.headers['www-authenticate'], 'Bearer');
  });

  it('stores a stronger hash of the password than it has, once it knows it', async (t) => {
    const api = await testApi(t);
    const password_hash = await hashOf(credentials.password);
    const id = await giveUser(api.accounts, api.clock, 'ann', { password_hash });
    const kept = await giveToken(api.accounts, api.clock, id, 'session');
    const stored = async () => (await api.accounts.getUser(id))?.password_hash;

    const wrong = { ...credentials, password: 'long enough 2' };
    assert.equal((await api.call('POST', '/v1/auth/login', wrong)).status, 401);
    assert.equal(await stored(), password_hash);
    assert.equal((await api.call('POST', '/v1/auth/login', credentials)).status, 200);
    const renewed = await stored();
    assert.match(renewed ?? '', /^\$argon2id\$v=19\$m=65536,/);
    assert.equal(
      (await api.call('GET', '/v1/me', undefined, bearer(kept))).status,
      200,
      'nothing is revoked',
    );
    assert.equal((await api.call('POST', '/v1/auth/login', credentials)).status, 200);
    assert.equal(await stored(), renewed);
  });

  it('begins no session with a password that is changed while it is checked', async (t) => {
    const api = await testApi(t);
    const id = await giveUser(api.accounts, api.clock, 'ann', {
      password_hash: await hashOf(credentials.password, passwordCost),
    });
    const find = api.accounts.findUser;
    t.mock.method(api.accounts, 'findUser', async (username: string) => {
      const user = await find(username);
      const at = timestamp(api.clock.now());
      const revoke = { kinds: 'sessions' } as const;
      await api.accounts.updateUser(id, { password_hash: 'another' }, { at, revoke });
      return user;
    });
    assert.equal((await api.call('POST', '/v1/auth/login', credentials)).problem().code, 'conflict');
    assert.deepEqual(await api.accounts.listTokens(id, 'session'), []);
  });

  it('makes whoever guesses wait, whether or not there is such a user, and says how long', async (t) => {
    const api = await testApi(t);
    const password_hash = await hashOf(credentials.password);
    await giveUser(api.accounts, api.clock, 'ann', { password_hash });
    const headers = { 'x-request-id': 'same' };
    const bodies = new Set<string>();
    for (const username of ['ann', 'nobody']) {
      const guess = { username, password: 'a wrong guess' };
      for (let tries = 0; tries < 5; tries += 1)
        assert.equal((await api.call('POST', '/v1/auth/login', guess, headers)).status, 401);
      const refused = await api.call(
        'POST',
        '/v1/auth/login',
        { ...guess, password: credentials.password },
        headers,
      );
      assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '1']);
      assert.equal(refused.problem().code, 'rate_limited');
      bodies.add(refused.text);
    }
    assert.equal(bodies.size, 1);
    await api.clock.advance(1_000);
    assert.equal((await api.call('POST', '/v1/auth/login', credentials)).status, 200);
  });

  it('stores only a hash of the token', async (t) => {
    const api = await testApi(t, { fresh: true });
    await api.call('POST', '/v1/bootstrap', credentials, bearer(api.bootstrapToken));
    const { token, user } = (await api.call('POST', '/v1/auth/login', credentials)).json<Session>();
    const stored = JSON.stringify([
      await api.accounts.listTokens(user.id, 'session'),
      await api.accounts.getUser(user.id),
    ]);
    assert.ok(!stored.includes(token) && !stored.includes(token.slice('svc_session_'.length)));
    assert.ok(!stored.includes(credentials.password));
  });
});

describe('POST /v1/auth/logout', () => {
  it('ends the session and no other', async (t) => {
    const api = await testApi(t);
    const ann = await giveUser(api.accounts, api.clock, 'ann');
    const [one, two] = [
      await giveToken(api.accounts, api.clock, ann, 'session'),
      await giveToken(api.accounts, api.clock, ann, 'session'),
    ];
    const answer = await api.call('POST', '/v1/auth/logout', undefined, bearer(one));
    assert.deepEqual([answer.status, answer.text], [204, '']);
    assert.equal((await api.call('GET', '/v1/me', undefined, bearer(one))).status, 401);
    assert.equal((await api.call('GET', '/v1/me', undefined, bearer(two))).status, 200);
  });
});
