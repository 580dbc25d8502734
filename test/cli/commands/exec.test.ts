import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { WebSocketServer, type WebSocket } from 'ws';
import { testApi } from '../../support/api.ts';
import { cli, clockOf, golden, listening, type Cli } from '../../support/cli.ts';
import { giveReadyService } from '../../support/console-client.ts';
import { eventually } from '../../support/eventually.ts';

async function world(test: TestContext) {
  const api = await testApi(test);
  await giveReadyService(api);
  const user = await cli(test, { url: await listening(api), token: api.token, clock: clockOf(api) });
  return { api, user };
}

/** Something that answers like a node, up to the socket. */
async function nodeWith(
  test: TestContext,
  open: (socket: WebSocket) => void,
  path = '/prefix/v1/services/svc_1/console/ws',
): Promise<Cli> {
  const server = createServer((request, response) => {
    const service = { id: 'svc_1', project: 'shop', name: 'web' };
    const answer =
      request.method === 'GET' ? { items: [service], next_cursor: null } : { ticket: 'svc_ticket_x' };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  const sockets = new WebSocketServer({ server, path });
  sockets.on('connection', open);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return cli(test, { url: `http://127.0.0.1:${port}/prefix`, token: 'svc_api_x' });
}

describe('svc exec', () => {
  it('runs what stands behind --, as it stands there, with pipes', async (test) => {
    const { api, user } = await world(test);
    const running = user.feed('input', 'exec', 'web', '-p', 'shop', '--', 'grep', '-o', '--', 'x y');
    await eventually(() => api.console.opened.length === 1);
    const { last } = api.console;
    assert.deepEqual(last.request, { command: ['grep', '-o', '--', 'x y'], tty: false });
    await eventually(() => last.inputEnded);
    assert.equal(String(last.input), 'input');
    last.print('out');
    last.print('err', 'stderr');
    last.exit(3);
    assert.deepEqual(await running, { code: 3, stdout: 'out', stderr: 'err' });
  });

  it('is a shell in the replica that is named', async (test) => {
    const { api, user } = await world(test);
    const [replica] = await api.store.list('Replica');
    const running = user.svc('exec', 'shop/web', '--replica', replica?.id ?? '');
    await eventually(() => api.console.opened.length === 1);
    assert.deepEqual(api.console.last.request.command, ['sh']);
    api.console.last.exit(0);
    assert.equal((await running).code, 0);
  });

  it('says what keeps it from opening', async (test) => {
    const { user } = await world(test);
    const said = async (...argv: string[]) => {
      const { code, stdout, stderr } = await user.svc('exec', ...argv);
      return [code, stdout, golden(stderr)];
    };
    assert.deepEqual(await said('shop/web', '--replica', 'rep_1'), [
      4,
      '',
      'svc: The service has no such replica. Its replicas are shown by: svc describe service.\n',
    ]);
    assert.deepEqual(await said('shop/nosuch', '--', 'ls', '-o', 'json'), await said('shop/nosuch'));
    assert.equal((await said())[0], 2);
    assert.equal((await said('shop/web', 'sh', '-c', 'true'))[0], 2);
    assert.equal((await said('shop/nosuch'))[0], 4);
  });

  it('tells apart the ways in which a console ends early', async (test) => {
    const ends = [
      [(socket: WebSocket) => socket.close(4403, 'Your role is gone.'), 3, 'svc: Your role is gone.\n'],
      [(socket: WebSocket) => socket.close(4408, 'Idle.'), 8, 'svc: Idle.\n'],
      [(socket: WebSocket) => socket.close(1001, 'Stopping.'), 6, /^svc: Stopping\.\n.*once it is back/],
      [(socket: WebSocket) => socket.close(4410, 'The service is gone.'), 1, 'svc: The service is gone.\n'],
      [(socket: WebSocket) => socket.terminate(), 6, /^svc: The connection to the node at .* was lost\.\n$/],
      [(socket: WebSocket) => socket.close(), 6, /was lost/],
    ] as const;
    for (const [end, code, said] of ends) {
      const user = await nodeWith(test, end);
      const outcome = await user.svc('exec', 'shop/web', '--', 'true');
      assert.equal(outcome.code, code, outcome.stderr);
      if (typeof said === 'string') assert.equal(outcome.stderr, said);
      else assert.match(outcome.stderr, said);
    }
  });

  it('keeps the exit code of a command when the connection breaks behind it', async (test) => {
    const user = await nodeWith(test, (socket) => socket.send('{"exit": 9}', () => socket.terminate()));
    assert.equal((await user.svc('exec', 'shop/web')).code, 9);
  });

  it('says what answers where there is no node, and that it was refused', async (test) => {
    const other = await nodeWith(test, () => undefined, '/elsewhere');
    const { code, stderr } = await other.svc('exec', 'shop/web');
    assert.equal(code, 1);
    assert.match(stderr, /What answers at .* is no svc node: it answered 400/);
    const { api, user } = await world(test);
    api.console.failure = new Error('x');
    const refused = await user.svc('exec', 'shop/web');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /Something went wrong on the node/);
  });
});
