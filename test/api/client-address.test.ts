import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { clientAddress, trustIngress } from '../../api/client-address.ts';
import { testApi, type TestApi } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';

/** An API that remembers where each request came from, as what runs last sees it. */
async function watched(t: TestContext): Promise<TestApi & { seen: string[] }> {
  const api = await testApi(t);
  const seen: string[] = [];
  api.app.addHook('onSend', (request, _reply, _payload, done) => {
    seen.push(clientAddress(request));
    done();
  });
  return { ...api, seen };
}

/** A socket of the file system in front of the API, as the ingress has one. */
async function behindIngress(t: TestContext, { app }: TestApi): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-ingress-'));
  const socketPath = join(dir, 'api.sock');
  await app.ready();
  const server = createServer((incoming, outgoing) => app.routing(incoming, outgoing));
  trustIngress(server);
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    await rm(dir, { recursive: true });
  });
  return socketPath;
}

async function get(options: object): Promise<void> {
  const [response] = (await once(request({ path: '/healthz', ...options }).end(), 'response')) as [
    NodeJS.ReadableStream,
  ];
  response.resume();
  await once(response, 'end');
}

const claims = {
  'x-forwarded-for': '6.6.6.6',
  'x-real-ip': '6.6.6.6',
  forwarded: 'for=6.6.6.6',
  'true-client-ip': '6.6.6.6',
};

describe('the address of a client', () => {
  it('is the peer of the connection, whatever its headers say', async (t) => {
    const { app, seen } = await watched(t);
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    await get({ port, host: '127.0.0.1', headers: claims });
    await eventually(() => seen.length === 1);
    assert.deepEqual(seen, ['127.0.0.1']);
  });

  it('is an IPv4 address on a socket that takes both', async (t) => {
    const { app, seen } = await watched(t);
    const { port } = new URL(await app.listen({ host: '::', port: 0 }));
    await get({ port, host: '127.0.0.1' });
    await get({ port, host: '::1' });
    await eventually(() => seen.length === 2);
    assert.deepEqual(seen, ['127.0.0.1', '::1']);
  });

  it('cannot be claimed by cutting the connection before it is asked for', async (t) => {
    const { app, seen } = await watched(t);
    let cut = () => {};
    app.addHook('preHandler', async ({ raw }) => {
      cut();
      await eventually(() => raw.socket.destroyed);
    });
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    cut = () => void socket.resetAndDestroy();
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n');
    await eventually(() => seen.length === 1);
    assert.deepEqual(seen, ['127.0.0.1']);
  });

  it('is what the ingress says on its own socket', async (t) => {
    const api = await watched(t);
    const socketPath = await behindIngress(t, api);
    for (const address of ['192.0.2.7', '2001:db8::7', '::ffff:192.0.2.8', 'fe80::1%eth0'])
      await get({ socketPath, headers: { 'x-forwarded-for': address } });
    await eventually(() => api.seen.length === 4);
    assert.deepEqual(api.seen, ['192.0.2.7', '2001:db8::7', '192.0.2.8', 'fe80::1']);
  });

  it('is unknown where the ingress says nothing that is an address', async (t) => {
    const api = await watched(t);
    const socketPath = await behindIngress(t, api);
    await get({ socketPath });
    for (const address of ['', 'localhost', '1.2.3', '6.6.6.6, 192.0.2.7', '<script>'])
      await get({ socketPath, headers: { 'x-forwarded-for': address } });
    await eventually(() => api.seen.length === 6);
    assert.deepEqual(new Set(api.seen), new Set(['unknown']));
  });
});
