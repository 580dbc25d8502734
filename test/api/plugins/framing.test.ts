/** Requests as bytes: what Node's parser lets through is refused in words, with the headers that every answer has. */
import assert from 'node:assert/strict';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { testApi, type TestApi } from '../../support/api.ts';

const body = '{"name": "shop"}';

/** The first answer to these bytes; `TOKEN` in them stands for a token that may do everything. */
async function send(api: TestApi, bytes: string): Promise<string> {
  if (!api.app.server.listening) await api.app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((api.app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(bytes.replaceAll('TOKEN', `Authorization: Bearer ${api.token}`), 'latin1');
  // Whoever keeps the connection answers all the same.
  setTimeout(() => socket.end(), 300).unref();
  return text(socket);
}

function request(head: string, payload = ''): string {
  return `${head}\r\nTOKEN\r\n\r\n${payload}`;
}

const post = `POST /v1/projects HTTP/1.1\r\nHost: x\r\nContent-Type: application/json`;
const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

describe('a request', () => {
  for (const [what, bytes, status] of [
    ['without a Host', request('GET /v1/me HTTP/1.1'), 400],
    ['with two', request('GET /v1/me HTTP/1.1\r\nHost: a\r\nhost: b'), 400],
    [
      'in a transfer coding that is not understood',
      request(`${post}\r\nTransfer-Encoding: gzip, chunked`, chunked),
      400,
    ],
    ['in no transfer coding that ends', request(`${post}\r\nTransfer-Encoding: gzip`, chunked), 400],
    ['with two lengths', request(`${post}\r\nContent-Length: 16\r\nContent-Length: 17`, body), 400],
    [
      'with a length and chunks',
      request(`${post}\r\nContent-Length: 16\r\nTransfer-Encoding: chunked`, chunked),
      400,
    ],
    ['with a packed body', request(`${post}\r\nContent-Encoding: gzip\r\nContent-Length: 16`, body), 415],
    ['with too many fields', request(`GET /v1/me HTTP/1.1\r\nHost: x${'\r\nA: 1'.repeat(101)}`), 413],
    [
      'with fields that are too long',
      request(`GET /v1/me HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(20_000)}`),
      413,
    ],
    ['with a path that is too long', request(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x`), 413],
    ['of another protocol', request('GET /v1/me HTTP/3.0\r\nHost: x'), 400],
    ['for a tunnel', request('CONNECT example.com:443 HTTP/1.1\r\nHost: x'), 400],
    ['with a control character in a field', request('GET /v1/me HTTP/1.1\r\nHost: x\r\nA: \x01'), 400],
  ] as const) {
    it(`${what} is refused with ${status}`, async (t) => {
      const answer = await send(await testApi(t), bytes);
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
      assert.match(answer, /\r\ncontent-type: application\/problem\+json/i);
      assert.match(answer, /\r\nx-request-id: req_/i);
      assert.match(answer, /\r\nx-frame-options: DENY\r\n/i);
    });
  }

  for (const [what, bytes, status] of [
    ['in chunks', request(`${post}\r\nTransfer-Encoding: chunked`, chunked), 201],
    ['with an expectation', request(`${post}\r\nExpect: 100-continue\r\nContent-Length: 16`, body), 201],
    [
      'with an expectation of something else',
      request(`${post}\r\nExpect: a miracle\r\nContent-Length: 16`, body),
      201,
    ],
    ['to be upgraded', request('GET /v1/me HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c'), 200],
    ['of HTTP/1.0 without a Host', request('GET /v1/me HTTP/1.0'), 200],
    [
      'whose body is not packed, in so many words',
      request(`${post}\r\nContent-Encoding: identity\r\nContent-Length: 16`, body),
      201,
    ],
  ] as const) {
    it(`${what} is answered with ${status}`, async (t) => {
      const answer = await send(await testApi(t), bytes);
      assert.match(answer.replace(/^HTTP\/1.1 100 Continue\r\n\r\n/, ''), new RegExp(`^HTTP/1.1 ${status} `));
    });
  }

  it('that follows a GET with a body on the same connection is read from its own beginning', async (t) => {
    const get = `GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 16\r\n\r\n${body}`;
    const answer = await send(await testApi(t), `${get}GET /v1/none HTTP/1.1\r\nHost: x\r\nTOKEN\r\n\r\n`);
    assert.deepEqual(answer.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 404']);
  });
});
