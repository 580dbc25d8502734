/** Bodies that come byte by byte: nobody holds a connection for ever with one. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { giveService, testApi, type TestApi } from '../../support/api.ts';

const minute = 60_000;
const login = 'POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json';

/** Sends the beginning of a request, and waits until it has arrived there. */
async function begin(t: TestContext, api: TestApi, head: string): Promise<Socket> {
  if (!api.app.server.listening) await api.app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect((api.app.server.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.on('error', () => undefined).resume();
  const arrived = once(api.app.server, 'request');
  socket.write(`${head}\r\n\r\n`);
  await arrived;
  return socket;
}

/** Whether the other side cuts the connection soon. */
async function isCut(socket: Socket): Promise<boolean> {
  if (socket.closed) return true;
  return Promise.race([
    once(socket, 'close').then(() => true),
    new Promise<false>((resolve) => setTimeout(() => resolve(false), 200)),
  ]);
}

describe('a body that never ends', () => {
  for (const [what, head] of [
    ['of a route that takes JSON from strangers', `${login}\r\nContent-Length: 99`],
    ['in chunks', `${login}\r\nTransfer-Encoding: chunked`],
    ['of a stranger who was refused', 'POST /v1/projects HTTP/1.1\r\nHost: x\r\nContent-Length: 99'],
    [
      'of a stranger who was refused an upload',
      'POST /v1/services/svc_1/uploads HTTP/1.1\r\nHost: x\r\nContent-Length: 99',
    ],
    ['where there is no route', 'POST /none HTTP/1.1\r\nHost: x\r\nContent-Length: 99'],
  ] as const) {
    it(`${what} costs the connection after a minute`, async (t) => {
      const api = await testApi(t);
      const socket = await begin(t, api, head);
      await api.clock.advance(minute - 1);
      assert.ok(!(await isCut(socket)));
      await api.clock.advance(minute);
      const wasCut = await isCut(socket);
      // A node that stops waits for what is under way.
      socket.destroy();
      assert.ok(wasCut);
    });
  }

  it('may be an upload of somebody who is let in', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const head = `POST /v1/services/${service.id}/uploads HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.token}`;
    const socket = await begin(t, api, `${head}\r\nContent-Type: application/zstd\r\nContent-Length: 99`);
    await api.clock.advance(10 * minute);
    const wasCut = await isCut(socket);
    // A node that stops waits for what is under way.
    socket.destroy();
    assert.ok(!wasCut);
  });

  it('is not waited for once it has come whole', async (t) => {
    const api = await testApi(t);
    const socket = await begin(t, api, `${login}\r\nContent-Length: 2\r\n\r\n{}`);
    await once(socket, 'data');
    await api.clock.advance(2 * minute);
    assert.ok(!(await isCut(socket)));
  });
});
