import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiToken, MintedApiToken, Session, User } from '../../../specs/account.ts';
import { timestamp } from '../../../specs/meta.ts';
import type { Page } from '../../../specs/resources.ts';
import { giveToken, giveUser, testApi } from '../../support/api.ts';

const credentials = { username: 'ann', password: 'long enough 1' };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('POST /v1/bootstrap', () => {
  it('makes the first account, once, and its owner can log in', async (t) => {
    const api = await testApi(t, { fresh: true });
    const first = await api.call('POST', '/v1/bootstrap', credentials, bearer(api.bootstrapToken));
    assert.equal(first.status, 201);
    const { id, ...user } = first.json<User>();
    assert.deepEqual(user, { username: 'ann', super_admin: true, created_at: timestamp(api.clock.now()) });
    assert.match(id, /^usr_/);

    const second = await api.call(
      'POST',
      '/v1/bootstrap',
      { ...credentials, username: 'eve' },
      bearer(api.bootstrapToken),
    );
    assert.equal(second.status, 409);
    assert.equal(second.problem().code, 'conflict');
    assert.equal(await api.accounts.countUsers(), 1);
    assert.equal((await api.call('POST', '/v1/auth/login', credentials)).status, 200);
  });

  it('makes one account when asked twice at once', async (t) => {
    const api = await testApi(t, { fresh: true });
    const both = ['ann', 'eve'].map((username) =>
      api.call('POST', '/v1/bootstrap', { ...credentials, username }, bearer(api.bootstrapToken)),
    );
    assert.deepEqual((await Promise.all(both)).map(({ status }) => status).sort(), [201, 409]);
    assert.equal(await api.accounts.countUsers(), 1);
  });

  it('refuses names and passwords that break the rules', async (t) => {
    const api = await testApi(t, { fresh: true });
    for (const body of [{ username: 'Ann', password: 'short' }, { username: '', password: '' }, {}]) {
      const answer = await api.call('POST', '/v1/bootstrap', body, bearer(api.bootstrapToken));
      assert.equal(answer.status, 422);
      assert.deepEqual(
        answer
          .problem()
          .errors?.map(({ path }) => path)
          .sort(),
        ['/password', '/username'],
      );
    }
    assert.equal(await api.accounts.countUsers(), 0);
  });
});

describe('POST /v1/auth/login', () => {
  it('answers a session that works until it expires', async (t) => {
    const api = await testApi(t, { fresh: true });
    await api.call('POST', '/v1/bootstrap', credentials, bearer(api.bootstrapToken));
    const answer = await api.call('POST', '/v1/auth/login', credentials, { authorization: '' });
    assert.equal(answer.headers['cache-control'], 'no-store');
    const { token, expires_at, user } = answer.json<Session>();
    assert.match(token, /^svc_session_[\w-]{43}$/);
    assert.equal(user.username, 'ann');
    const left = Date.parse(expires_at) - api.clock.now();
    assert.equal((await api.call('GET', '/v1/me', undefined, bearer(token))).status, 200);
    await api.clock.advance(left - 1);
    assert.equal((await api.call('GET', '/v1/me', undefined, bearer(token))).status, 200);
    await api.clock.advance(1);
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

describe('/v1/api-tokens', () => {
  it('mints a token that is shown once and works until it is deleted', async (t) => {
    const api = await testApi(t);
    const minted = await api.call('POST', '/v1/api-tokens', { name: 'laptop' });
    assert.equal(minted.status, 201);
    const { token, ...rest } = minted.json<MintedApiToken>();
    assert.match(token, /^svc_api_[\w-]{43}$/);
    assert.deepEqual(
      { ...rest, id: '' },
      {
        ...{ id: '', name: 'laptop', expires_at: null, last_used_at: null },
        created_at: timestamp(api.clock.now()),
      },
    );

    const list = await api.call('GET', '/v1/api-tokens', undefined, bearer(token));
    assert.deepEqual(
      list
        .json<Page<ApiToken>>()
        .items.map(({ name }) => name)
        .sort(),
      ['laptop', 'test'],
    );
    assert.ok(!list.text.includes(token) && !list.text.includes('hash'));

    assert.equal((await api.call('DELETE', `/v1/api-tokens/${rest.id}`)).status, 204);
    assert.equal((await api.call('GET', '/v1/me', undefined, bearer(token))).status, 401);
    assert.equal((await api.call('DELETE', `/v1/api-tokens/${rest.id}`)).status, 404);
  });

  it('lists page by page', async (t) => {
    const api = await testApi(t);
    for (const name of ['a', 'b', 'c']) await api.call('POST', '/v1/api-tokens', { name });
    const names: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const answer = await api.call(
        'GET',
        `/v1/api-tokens?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      const page: Page<ApiToken> = answer.json();
      names.push(...page.items.map(({ name }) => name));
      cursor = page.next_cursor;
    }
    assert.deepEqual(names.sort(), ['a', 'b', 'c', 'test']);
  });

  it('takes a time to expire in the future only, in any zone', async (t) => {
    const api = await testApi(t);
    const past = await api.call('POST', '/v1/api-tokens', {
      name: 'x',
      expires_at: timestamp(api.clock.now()),
    });
    assert.deepEqual(past.problem().errors, [{ path: '/expires_at', message: 'is in the past' }]);
    const minted = await api.call('POST', '/v1/api-tokens', {
      name: 'x',
      expires_at: '2030-01-01T02:00:00+01:00',
    });
    assert.equal(minted.json<MintedApiToken>().expires_at, '2030-01-01T01:00:00.000Z');
  });

  it("knows no other user's tokens, and no sessions", async (t) => {
    const api = await testApi(t);
    const ann = await giveUser(api.accounts, api.clock, 'ann');
    const session = await giveToken(api.accounts, api.clock, ann, 'session');
    const [record] = await api.accounts.listTokens(ann, 'session');
    assert.equal((await api.call('DELETE', `/v1/api-tokens/${record?.id ?? ''}`)).status, 404);
    assert.equal(
      (await api.call('DELETE', `/v1/api-tokens/${record?.id ?? ''}`, undefined, bearer(session))).status,
      404,
    );
    assert.deepEqual((await api.call('GET', '/v1/api-tokens', undefined, bearer(session))).json(), {
      items: [],
      next_cursor: null,
    });
  });
});
