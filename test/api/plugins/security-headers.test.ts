import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bearer, giveService, giveUpload, testApi } from '../../support/api.ts';
import { giveStream, openStream } from '../../support/event-stream.ts';

const wanted = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

function check(headers: Readonly<Record<string, unknown>>, what: string): void {
  for (const [name, value] of Object.entries(wanted)) assert.equal(headers[name], value, `${what}: ${name}`);
  for (const name of Object.keys(headers))
    assert.doesNotMatch(name, /^(access-control-|set-cookie|server$|x-powered-by)/, what);
}

describe('security headers', () => {
  it('are on every answer, whoever asks and whatever comes of it; no answer is for another origin', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    await giveUpload(api, service.id);
    const origin = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    for (const [method, url, headers] of [
      ['GET', '/healthz', {}],
      ['GET', '/openapi.json', {}],
      ['GET', '/v1/me', {}],
      ['GET', '/v1/me', bearer(api.token)],
      ['HEAD', '/v1/me', bearer(api.token)],
      ['OPTIONS', '/v1/projects', {}],
      ['OPTIONS', '/v1/projects', bearer(api.token)],
      ['GET', '/', {}],
      ['GET', '/v1/%zz', {}],
      ['GET', `/v1/services/${'x'.repeat(200)}`, {}],
      ['POST', '/v1/projects', bearer(api.token)],
      ['GET', `/v1/services/${service.id}/logs`, bearer(api.token)],
    ] as const) {
      const response = await api.app.inject({ method, url, headers: { ...headers, ...origin } });
      check(response.headers, `${method} ${url} ${response.statusCode}`);
      if (method === 'OPTIONS') assert.ok([401, 404].includes(response.statusCode));
    }
  });

  it('are on streams', async (t) => {
    const api = await testApi(t);
    const { path } = await giveStream(api);
    const stream = await openStream(api, path);
    check(stream.response.headers, path);
    stream.leave();
  });

  it('are on what breaks inside', async (t) => {
    const api = await testApi(t);
    api.node.unready = () => Promise.reject(new Error('broken'));
    check((await api.call('GET', '/readyz')).headers, '/readyz');
  });
});
