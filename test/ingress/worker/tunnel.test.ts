import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { exchangeRaw, readUntil } from '../support/client.ts';
import { runDataPath, type Running } from '../support/data-paths.ts';
import { httpReplica, rawReplica, routesTo } from '../support/replicas.ts';
import { until } from '../support/sandbox.ts';

const upgrade =
  'GET /chat HTTP/1.1\r\nHost: web.test\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Key: x\r\n\r\n';
const switched =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-From: replica\r\n\r\n';

/** A replica that switches and then does with the connection as it is told. */
async function withReplica(t: TestContext, then: (socket: Socket, head: string) => void): Promise<Running> {
  const running = await runDataPath(t);
  await rawReplica(t, join(running.runDir, 'r'), (socket) => {
    void readUntil(socket, '\r\n\r\n').then(
      (head) => then(socket, head),
      () => undefined,
    );
  });
  running.route(routesTo({ web: { r: join(running.runDir, 'r') } }));
  return running;
}

function client(t: TestContext, port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  t.after(() => socket.destroy());
  return socket;
}

test('a WebSocket goes through: both heads, early bytes, and what follows either way', async (t) => {
  let seen = '';
  const { port } = await withReplica(t, (socket, head) => {
    seen = head;
    socket.write(`${switched}early `);
    socket.pipe(socket);
  });
  const socket = client(t, port);
  socket.write(`${upgrade}mine `);
  const text = await readUntil(socket, 'mine ');
  assert.match(text, /^HTTP\/1\.1 101 Switching Protocols\r\n/);
  assert.match(text, /\r\nUpgrade: websocket\r\n[^]*X-From: replica\r\n\r\nearly mine $/);
  assert.match(seen, /^GET \/chat HTTP\/1\.1\r\n/);
  assert.match(seen, /\r\nSec-WebSocket-Key: x\r\n/);
  assert.match(seen, /\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n/);
  socket.write('more');
  await readUntil(socket, 'more');
});

test('ten megabytes come back as they went', async (t) => {
  const { port } = await withReplica(t, (socket) => {
    socket.write(switched);
    socket.pipe(socket);
  });
  const socket = client(t, port);
  socket.write(upgrade);
  await readUntil(socket, '\r\n\r\n');
  const [sent, received] = [createHash('sha256'), createHash('sha256')];
  let [left, back] = [10 * 1024 * 1024, 0];
  const size = left;
  socket.on('data', (chunk) => {
    received.update(chunk);
    back += chunk.length;
  });
  const more = (): void => {
    while (left > 0) {
      const chunk = randomBytes(64 * 1024);
      sent.update(chunk);
      left -= chunk.length;
      if (!socket.write(chunk)) return void socket.once('drain', more);
    }
  };
  more();
  await until('all of it is back', () => back === size);
  assert.equal(received.digest('hex'), sent.digest('hex'));
});

test('the end of one side reaches the other, which may go on', async (t) => {
  const { port } = await withReplica(t, (socket) => {
    socket.write(`${switched}bye`);
    socket.end();
  });
  const socket = client(t, port);
  socket.write(upgrade);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  assert.match(text, /bye$/);
});

test('a tunnel keeps its replica busy until it ends', async (t) => {
  const { port, route, dataPath, idle } = await withReplica(t, (socket) => socket.write(switched));
  const socket = client(t, port);
  socket.write(upgrade);
  await readUntil(socket, '\r\n\r\n');
  route(routesTo({}));
  assert.deepEqual(dataPath.busy(), ['r']);
  socket.destroy();
  await until('it is idle', () => idle.includes('r'));
  assert.deepEqual(dataPath.busy(), []);
});

test('an ordinary answer to an upgrade is handed on whole, and the connection ends', async (t) => {
  const running = await runDataPath(t);
  await httpReplica(t, join(running.runDir, 'r'), (_, res) => res.writeHead(403).end('x'.repeat(300_000)));
  running.route(routesTo({ web: { r: join(running.runDir, 'r') } }));
  const text = await exchangeRaw(running.port, upgrade);
  assert.match(text, /^HTTP\/1\.1 403 Forbidden\r\n/);
  assert.equal(text.match(/x/g)?.length, 300_000);
});

test('no service, no replica: the page comes on the raw connection too', async (t) => {
  const { port, route, runDir } = await runDataPath(t);
  route(routesTo({ other: {}, web: { gone: join(runDir, 'gone') } }));
  assert.match(await exchangeRaw(port, upgrade.replace('web.test', 'none.test')), /^HTTP\/1\.1 404/);
  assert.match(await exchangeRaw(port, upgrade), /^HTTP\/1\.1 503/);
});

test('only to WebSocket: anything else is an ordinary request that says nothing of an upgrade', async (t) => {
  let seen = '';
  const { port } = await withReplica(t, (socket, head) => {
    seen = head;
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  });
  const h2c = upgrade.replace('WebSocket', 'h2c').replace('Sec-WebSocket-Key: x', 'HTTP2-Settings: AAMAAABk');
  assert.match(await exchangeRaw(port, h2c, (text) => text.endsWith('ok')), /^HTTP\/1\.1 200/);
  assert.doesNotMatch(seen, /upgrade|h2c|http2/i);
});

test('a replica that switches to something else is not followed', async (t) => {
  const { port } = await withReplica(t, (socket) => socket.write(switched.replace('websocket', 'h2c')));
  assert.match(await exchangeRaw(port, upgrade), /^HTTP\/1\.1 502/);
});

test('an upgrade behind a request that is not answered yet ends the connection', async (t) => {
  const { port } = await withReplica(t, () => undefined);
  assert.equal(await exchangeRaw(port, `GET / HTTP/1.1\r\nHost: web.test\r\n\r\n${upgrade}`), '');
});
