import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mintBootstrapToken } from '../../../api/auth/bootstrap-token.ts';
import type { Me } from '../../../specs/account.ts';
import { timestamp } from '../../../specs/meta.ts';
import { bearer, giveMember, giveToken, giveUser, testApi, type Method } from '../../support/api.ts';
import { randomBytes } from 'node:crypto';

describe('declared access', () => {
  it('keeps the API from starting when a route has none', async (t) => {
    const { app } = await testApi(t);
    app.get('/v1/forgotten', () => 'secret');
    await assert.rejects(Promise.resolve(app.ready()), /Routes that declare no access: GET \/v1\/forgotten/);
  });

  it('is there on every route of the API', async (t) => {
    const { app } = await testApi(t);
    await assert.doesNotReject(Promise.resolve(app.ready()));
  });
});

describe('tokens', () => {
  it('of all three kinds say who is asking', async (t) => {
    const api = await testApi(t);
    const userId = await giveUser(api.accounts, api.clock, 'ann');
    const session = await giveToken(api.accounts, api.clock, userId, 'session');
    const me = async (token: string) =>
      (await api.call('GET', '/v1/me', undefined, bearer(token))).json<Me>();
    const at = timestamp(api.clock.now());
    const user = { id: userId, username: 'ann', super_admin: true, created_at: at, updated_at: at };
    const { token, ...rest } = await me(session);
    assert.deepEqual(rest, { kind: 'session', user, super_admin: true, projects: [] });
    assert.deepEqual([token?.name, token?.project, token?.role], ['test', null, null]);
    const nobody = { kind: 'bootstrap', user: null, super_admin: true, token: null, projects: [] };
    assert.deepEqual(await me(api.bootstrapToken), nobody);
    assert.equal((await me(api.token)).kind, 'api');
  });

  it('get one and the same answer when they are missing, malformed, unknown, expired or revoked', async (t) => {
    const api = await testApi(t);
    const userId = await giveUser(api.accounts, api.clock, 'ann');
    const expires = timestamp(api.clock.now() + 1_000);
    const expired = await giveToken(api.accounts, api.clock, userId, 'api', expires);
    const revoked = await giveToken(api.accounts, api.clock, userId, 'session');
    assert.equal((await api.call('GET', '/v1/me', undefined, bearer(expired))).status, 200);
    assert.equal((await api.call('POST', '/v1/auth/logout', undefined, bearer(revoked))).status, 204);
    await api.clock.advance(1_000);

    const bodies = new Set<string>();
    for (const authorization of [
      ...[
        '',
        'Bearer',
        'Bearer ',
        'Basic cm9vdDpyb290',
        'Bearer x y',
        'Bearer é',
        `Bearer ${'x'.repeat(5_000)}`,
      ],
      ...[
        `Bearer ${api.token}x`,
        `Bearer ${api.token.slice(0, -1)}`,
        api.token,
        `Bearer ${expired}`,
        `Bearer ${revoked}`,
      ],
      `Bearer ${mintBootstrapToken(randomBytes(32), randomBytes)}`,
    ]) {
      const answer = await api.call('GET', '/v1/me', undefined, { authorization, 'x-request-id': 'same' });
      assert.equal(answer.status, 401, authorization);
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
      bodies.add(answer.text);
    }
    assert.equal(bodies.size, 1);
  });

  it('are taken with the scheme in any case', async (t) => {
    const api = await testApi(t);
    assert.equal(
      (await api.call('GET', '/v1/me', undefined, { authorization: `bearer ${api.token}` })).status,
      200,
    );
  });

  it('are not taken from the query', async (t) => {
    const api = await testApi(t);
    const answer = await api.call('GET', `/v1/me?token=${api.token}`, undefined, { authorization: '' });
    assert.equal(answer.status, 401);
  });

  it('remember when they were used, to the minute', async (t) => {
    const api = await testApi(t);
    const used = async () =>
      (await api.call('GET', '/v1/api-tokens')).json<{ items: { last_used_at: string }[] }>().items[0]
        ?.last_used_at;
    await used();
    const first = timestamp(api.clock.now());
    await api.clock.advance(59_000);
    assert.equal(await used(), first);
    await api.clock.advance(1_000);
    await used();
    assert.equal(await used(), timestamp(api.clock.now()));
  });
});

describe('access', () => {
  it('of public routes takes no token', async (t) => {
    const api = await testApi(t);
    for (const url of ['/healthz', '/readyz']) {
      assert.equal((await api.app.inject({ method: 'GET', url })).statusCode, 200, url);
    }
  });

  it('is refused to strangers everywhere else, before anything is parsed or looked up', async (t) => {
    const { app } = await testApi(t);
    const others = app.declaredRoutes.filter(({ access }) => access !== 'public');
    assert.ok(others.length > 50);
    for (const { method, url } of others) {
      const response = await app.inject({
        ...{ method: method as Method, url: url.replaceAll(/:\w+/g, 'x') },
        ...{ payload: '{"broken', headers: { 'content-type': 'application/json' } },
      });
      assert.equal(response.statusCode, 401, `${method} ${url}`);
    }
  });

  it('under /v1 takes a token even where there is nothing, and says so in one way', async (t) => {
    const { app, call } = await testApi(t);
    for (const url of ['/v1', '/v1/', '/v1/nothing', '/v1/projects/x/nothing', '/v1?x=1', '/v1/healthz'])
      for (const method of ['GET', 'POST', 'DELETE'] as const) {
        assert.equal((await app.inject({ method, url })).statusCode, 401, `${method} ${url}`);
        const known = await call(method, url);
        assert.deepEqual([known.status, known.problem().code], [404, 'not_found'], `${method} ${url}`);
      }
    assert.equal((await app.inject({ method: 'DELETE', url: '/v1/me' })).statusCode, 401, 'another method');
    for (const url of ['/', '/v2/me', '/v10', '/V1/me', '/favicon.ico'])
      assert.equal((await app.inject({ method: 'GET', url })).statusCode, 404, url);
  });

  it('of users is refused to the bootstrap token, and of the bootstrap token to users', async (t) => {
    const api = await testApi(t);
    const bootstrap = { authorization: `Bearer ${api.bootstrapToken}` };
    for (const [method, url, body, headers] of [
      ['GET', '/v1/api-tokens', undefined, bootstrap],
      ['POST', '/v1/api-tokens', { name: 'ci' }, bootstrap],
      ['POST', '/v1/auth/logout', undefined, bootstrap],
      ['POST', '/v1/auth/logout', undefined, {}],
      ['POST', '/v1/bootstrap', { username: 'ann', password: 'long enough 1' }, {}],
    ] as const) {
      const answer = await api.call(method, url, body, headers);
      assert.equal(answer.status, 403, `${method} ${url}`);
      assert.equal(answer.problem().code, 'forbidden');
    }
  });

  it('tells the same of what is not there and of what lies in a project that the caller is no member of', async (t) => {
    const api = await testApi(t);
    const { token: guest } = await giveMember(api, 'guest');
    await api.call('POST', '/v1/projects', { name: 'shop' });
    const headers = { authorization: `Bearer ${guest}`, 'x-request-id': 'same' };
    const foreign = await api.call('GET', '/v1/projects/shop', undefined, headers);
    const missing = await api.call('GET', '/v1/projects/none', undefined, headers);
    assert.equal(foreign.status, 404);
    assert.equal(foreign.text, missing.text);
    assert.deepEqual((await api.call('GET', '/v1/projects', undefined, headers)).json(), {
      items: [],
      next_cursor: null,
    });
    assert.equal((await api.call('POST', '/v1/projects', { name: 'mine' }, headers)).status, 403);
  });
});
