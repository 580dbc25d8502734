import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testApi } from '../../support/api.ts';

describe('request ids', () => {
  it('are taken over when well-formed, else made', async (t) => {
    const api = await testApi(t);
    const id = async (given: string) =>
      (await api.call('GET', '/healthz', undefined, { 'x-request-id': given })).headers['x-request-id'];
    assert.equal(await id('ab-C.1_2'), 'ab-C.1_2');
    for (const given of ['', 'a b', 'x'.repeat(129), '<script>', 'a\tb']) {
      assert.match(String(await id(given)), /^req_[0-9a-z]{26}$/, JSON.stringify(given));
    }
  });
});

describe('request log', () => {
  it('has one line for each request', async (t) => {
    const api = await testApi(t);
    await api.call('GET', '/v1/me?limit=1', undefined, { 'x-request-id': 'the-id' });
    const lines = api
      .log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const [line, ...more] = lines.filter(({ request_id }) => request_id === 'the-id');
    assert.deepEqual(more, []);
    const { method, path, status, kind, user, msg } = line ?? {};
    assert.deepEqual(
      { method, path, status, kind, user, msg },
      {
        ...{ method: 'GET', path: '/v1/me', status: 200 },
        ...{ kind: 'api', user: 'root', msg: 'request' },
      },
    );
  });

  it('is quiet about reads that went well, and about nothing else', async (t) => {
    const api = await testApi(t);
    await api.call('GET', '/v1/me');
    await api.call('GET', '/v1/services/none');
    await api.call('POST', '/v1/projects', { name: 'shop' });
    const lines = api.log().trim().split('\n');
    const levels = lines.map((line) => JSON.parse(line) as { level: number; status?: number; msg: string });
    assert.deepEqual(
      levels.filter(({ msg }) => msg === 'request').map(({ level, status }) => [level, status]),
      [
        [20, 200],
        [30, 404],
        [30, 201],
      ],
    );
  });

  it('never has a secret in it', async (t) => {
    const api = await testApi(t);
    const password = 'the password of root';
    const bootstrap = { authorization: `Bearer ${api.bootstrapToken}` };
    const secrets = [api.token, api.bootstrapToken, password, 'svc_api_query', 'canary'];
    await api.call('POST', '/v1/bootstrap', { username: 'a', password }, bootstrap);
    await api.call('POST', '/v1/auth/login', { username: 'root', password });
    await api.call('POST', '/v1/auth/login', { username: 'root', password, extra: password });
    const minted = await api.call('POST', '/v1/api-tokens', { name: 'ci' });
    secrets.push(minted.json<{ token: string }>().token);
    await api.call('GET', '/v1/me?token=svc_api_query');
    await api.call('GET', '/v1/me', undefined, { authorization: 'Bearer canary', cookie: 'canary' });
    await api.call('GET', '/v1/nothing?canary');
    await api.call('GET', '/v1/services/%zz?canary');
    const payload = `{"username": "root", "password": "${password}`;
    await api.app.inject({
      method: 'POST',
      url: '/v1/auth/login',
      headers: { 'content-type': 'application/json' },
      payload,
    });
    api.node.unready = () => Promise.reject(new Error('broken'));
    await api.call('GET', '/readyz?canary', undefined, { authorization: 'Bearer canary' });

    assert.ok(api.log().includes('broken'));
    for (const secret of secrets) assert.ok(!api.log().includes(secret), secret);
  });
});
