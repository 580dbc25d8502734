import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mintBootstrapToken } from '../../../api/auth/bootstrap-token.ts';
import { timestamp } from '../../../specs/meta.ts';
import { giveToken, giveUser, testApi } from '../../support/api.ts';
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
      (await api.call('GET', '/v1/me', undefined, { authorization: `Bearer ${token}` })).json<{
        kind: string;
      }>();
    const user = { id: userId, username: 'ann', super_admin: true, created_at: timestamp(api.clock.now()) };
    assert.deepEqual(await me(session), { kind: 'session', user, super_admin: true });
    assert.deepEqual(await me(api.bootstrapToken), { kind: 'bootstrap', user: null, super_admin: true });
    assert.equal((await me(api.token)).kind, 'api');
  });

  it('get one and the same answer when they are missing, malformed, unknown, expired or revoked', async (t) => {
    const api = await testApi(t);
    const userId = await giveUser(api.accounts, api.clock, 'ann');
    const expires = timestamp(api.clock.now() + 1_000);
    const expired = await giveToken(api.accounts, api.clock, userId, 'api', expires);
    const revoked = await giveToken(api.accounts, api.clock, userId, 'session');
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
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
    const api = await testApi(t);
    const routes = api.app.printRoutes({ commonPrefix: false, includeHooks: false });
    assert.match(routes, /services/);
    for (const [method, url] of [
      ...(
        ['/v1/node', '/v1/me', '/v1/api-tokens', '/v1/projects', '/v1/services', '/v1/deployments'] as const
      ).map((path) => ['GET', path] as const),
      ...(
        ['/v1/projects/x', '/v1/services/x', '/v1/services/x/logs', '/v1/services/x/logs/stream'] as const
      ).map((path) => ['GET', path] as const),
      ...(['/v1/deployments/x', '/v1/deployments/x/logs', '/v1/deployments/x/logs/stream'] as const).map(
        (path) => ['GET', path] as const,
      ),
      ...(
        [
          '/v1/bootstrap',
          '/v1/auth/logout',
          '/v1/api-tokens',
          '/v1/projects',
          '/v1/services',
          '/v1/deployments',
        ] as const
      ).map((path) => ['POST', path] as const),
      ...(['stop', 'start', 'restart', 'rollback', 'uploads'] as const).map(
        (verb) => ['POST', `/v1/services/x/${verb}`] as const,
      ),
      ['POST', '/v1/deployments/x/stop'],
      ['DELETE', '/v1/api-tokens/x'],
    ] as const) {
      const response = await api.app.inject({
        method,
        url,
        payload: method === 'POST' ? '{"broken' : '',
        headers: { 'content-type': 'application/json' },
      });
      assert.equal(response.statusCode, 401, `${method} ${url}`);
    }
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
    const id = 'usr_00000000000000000000000000';
    const created_at = timestamp(api.clock.now());
    await api.accounts.createUser({
      id,
      username: 'guest',
      password_hash: 'none',
      super_admin: false,
      created_at,
    });
    const guest = await giveToken(api.accounts, api.clock, id, 'api');
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
