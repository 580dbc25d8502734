import assert from 'node:assert/strict';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { bearer, giveToken, giveUser, testApi, type TestApi } from '../../support/api.ts';

async function listen(api: TestApi): Promise<number> {
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  return (api.app.server.address() as AddressInfo).port;
}

/** What the API answers to these bytes. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

describe('problem answers', () => {
  it('have the members of RFC 9457 and the code and request id of the contract', async (t) => {
    const api = await testApi(t);
    const answer = await api.call('GET', '/v1/nothing?secret=1', undefined, { 'x-request-id': 'given-1' });
    assert.deepEqual(answer.problem(), {
      type: 'urn:svc:problem:not_found',
      title: 'Not found',
      status: 404,
      detail: 'There is no route GET /v1/nothing.',
      code: 'not_found',
      request_id: 'given-1',
    });
    assert.equal(answer.status, 404);
    assert.equal(answer.headers['x-request-id'], 'given-1');
  });

  it('list every violation', async (t) => {
    const api = await testApi(t);
    const answer = await api.call('POST', '/v1/projects', { nme: 'shop' });
    assert.equal(answer.status, 422);
    assert.deepEqual(answer.problem().errors, [
      { path: '/name', message: 'is required' },
      { path: '/nme', message: 'is unknown here; did you mean name?' },
    ]);
    assert.equal(answer.problem().detail, 'The request body is invalid in 2 places.');
  });

  const json = 'application/json';
  for (const [what, type, payload, status, code] of [
    ['malformed JSON', json, '{"name": ', 400, 'bad_request'],
    ['a prototype in JSON', json, '{"name": "a", "__proto__": {"x": 1}}', 400, 'bad_request'],
    ['another content type', 'text/plain', 'name=shop', 415, 'unsupported_media_type'],
    ['a content type like JSON', 'application/jsonx', '{"name": "shop"}', 415, 'unsupported_media_type'],
    ['no content type', '', '{"name": "shop"}', 415, 'unsupported_media_type'],
    ['a body that is too large', json, `{"name": "${'x'.repeat(1_100_000)}"}`, 413, 'too_large'],
    ['a deep body', json, '['.repeat(100_000) + ']'.repeat(100_000), 422, 'invalid'],
    ['null', json, 'null', 422, 'invalid'],
    ['no body', json, '', 422, 'invalid'],
    ['a name twice over in Latin-1', json, Buffer.from('{"name": "caf\xe9"}', 'latin1'), 400, 'bad_request'],
    ['half a character', json, '{"name": "\\ud83d"}', 422, 'invalid'],
    ['half a character as a name', json, '{"\\ud83d": 1}', 422, 'invalid'],
  ] as const) {
    it(`answer ${what} with ${status}`, async (t) => {
      const api = await testApi(t);
      const headers = {
        authorization: `Bearer ${api.token}`,
        ...(type === '' ? {} : { 'content-type': type }),
      };
      const response = await api.app.inject({ method: 'POST', url: '/v1/projects', headers, payload });
      const problem = response.json<{ code: string; status: number }>();
      assert.deepEqual([response.statusCode, problem.status, problem.code], [status, status, code]);
      assert.match(String(response.headers['content-type']), /^application\/problem\+json/);
    });
  }

  it('take JSON with parameters and in any case', async (t) => {
    const api = await testApi(t);
    for (const [name, type] of [
      ['one', 'application/json; charset=utf-8'],
      ['two', 'Application/JSON'],
    ] as const) {
      const headers = { authorization: `Bearer ${api.token}`, 'content-type': type };
      const response = await api.app.inject({
        method: 'POST',
        url: '/v1/projects',
        headers,
        payload: JSON.stringify({ name }),
      });
      assert.equal(response.statusCode, 201, type);
    }
  });

  it('tell nothing of what went wrong inside, but the log does', async (t) => {
    const api = await testApi(t);
    api.node.unready = () =>
      Promise.reject(Object.assign(new Error('disk /secret/path broke'), { statusCode: 404 }));
    const answer = await api.call('GET', '/readyz', undefined, { 'x-request-id': 'find-me' });
    assert.equal(answer.status, 500);
    assert.equal(answer.problem().code, 'internal');
    assert.ok(!answer.text.includes('secret'));
    assert.match(api.log(), /"request_id":"find-me".*disk \/secret\/path broke/);
  });

  it('cover paths that cannot be decoded', async (t) => {
    const api = await testApi(t);
    const answer = await api.call('GET', '/v1/services/%zz');
    assert.equal(answer.status, 400);
    assert.equal(answer.problem().code, 'bad_request');
    assert.equal(answer.headers['x-request-id'], answer.problem().request_id);
  });

  it('cover paths that are longer than any name', async (t) => {
    const api = await testApi(t);
    const answer = await api.call('GET', `/v1/services/${'x'.repeat(500)}`);
    assert.deepEqual([answer.status, answer.problem().code], [404, 'not_found']);
    const unknown = await api.call('GET', `/v1/${'x'.repeat(5_000)}`);
    assert.equal(unknown.status, 404);
    assert.ok(unknown.text.length < 500);
  });

  it('cover methods that a path does not have', async (t) => {
    const api = await testApi(t);
    for (const method of ['DELETE', 'PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      const response = await api.app.inject({ method, url: '/v1/projects', headers: bearer(api.token) });
      assert.equal(response.statusCode, 404, method);
      assert.match(String(response.headers['content-type']), /^application\/problem\+json/, method);
    }
  });

  it('refuse a body where none is taken, and pass over one of a GET', async (t) => {
    const api = await testApi(t);
    const session = bearer(
      await giveToken(api.accounts, api.clock, await giveUser(api.accounts, api.clock, 'ann'), 'session'),
    );
    const answer = await api.call('POST', '/v1/auth/logout', { everywhere: true }, session);
    assert.deepEqual(
      [answer.status, answer.problem().errors],
      [422, [{ path: '', message: 'must be empty: this takes no body' }]],
    );
    assert.equal((await api.call('POST', '/v1/auth/logout', {}, session)).status, 204);
    const headers = { ...bearer(api.token), 'content-type': 'application/json' };
    const read = await api.app.inject({ method: 'GET', url: '/v1/me', headers, payload: '{"broken' });
    assert.equal(read.statusCode, 200);
  });

  it('cover what is no HTTP at all', async (t) => {
    const api = await testApi(t);
    const port = await listen(api);
    const answer = await raw(port, 'not http\r\n\r\n');
    assert.match(answer, /^HTTP\/1\.1 400 .*application\/problem\+json.*"code":"bad_request"/s);
    const long = await raw(port, `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`);
    assert.match(long, /^HTTP\/1\.1 413 .*"code":"too_large"/s);
  });
});
