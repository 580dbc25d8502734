import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import type { ParkLimits } from '../../../ingress/index.ts';
import { ask, exchangeRaw } from '../support/client.ts';
import { runDataPath } from '../support/data-paths.ts';
import { httpReplica, routesTo, type Routes } from '../support/replicas.ts';
import { until } from '../support/sandbox.ts';

const limits: ParkLimits = { requests: 100, bytes: 1024 * 1024, ms: 30_000 };

/** A service `web` that parks. */
function parked(replicas: Record<string, string>, park: Partial<ParkLimits> | null = {}): Routes {
  const routes = routesTo({ web: replicas });
  const services = Object.entries(routes.services).map(([id, route]) => [
    id,
    { ...route, park: park === null ? null : { ...limits, ...park } },
  ]);
  return { ...routes, services: Object.fromEntries(services) as Routes['services'] };
}

test('requests wait while no replica is there, and are let go in the order in which they came', async (t) => {
  const { port, runDir, route, serviceTraffic } = await runDataPath(t);
  const seen: string[] = [];
  await httpReplica(t, join(runDir, 'r'), (req, res) => {
    seen.push(req.url ?? '');
    res.end(req.url);
  });
  route(parked({}));
  const paths = Array.from({ length: 20 }, (_, index) => `/${index}`);
  const answers = [];
  for (const [index, path] of paths.entries()) {
    answers.push(ask(port, 'web.test', { path }));
    await until('it waits', () => serviceTraffic('web').waiting === index + 1);
  }
  assert.deepEqual(seen, []);
  route(parked({ r: join(runDir, 'r') }));
  assert.deepEqual(
    (await Promise.all(answers)).map(({ status, body }) => [status, body]),
    paths.map((path) => [200, path]),
  );
  assert.deepEqual(seen, paths);
  const { parked: count, parked_longest_ms: longest, waiting, parked_rejected: no } = serviceTraffic('web');
  assert.deepEqual([count, waiting, no], [20, 0, 0]);
  assert.ok(longest > 0);
});

test('a body of ten megabytes waits with its client, and arrives whole', async (t) => {
  const { port, runDir, route, serviceTraffic } = await runDataPath(t);
  const body = randomBytes(10 * 1024 * 1024);
  await httpReplica(t, join(runDir, 'r'), (req, res) => {
    const hash = createHash('sha256');
    req.on('data', (chunk: Buffer) => hash.update(chunk));
    req.on('end', () => res.end(hash.digest('hex')));
  });
  route(parked({}));
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  const head = `POST / HTTP/1.1\r\nHost: web.test\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
  socket.write(head);
  socket.write(body);
  await until('it waits', () => serviceTraffic('web').waiting === 1);
  let [sent, still] = [-1, 0];
  await until('nobody reads it', async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    still = socket.bytesWritten - socket.writableLength === sent ? still + 1 : 0;
    sent = socket.bytesWritten - socket.writableLength;
    return still > 3;
  });
  assert.ok(socket.writableLength > 0, 'all of it was read');
  route(parked({ r: join(runDir, 'r') }));
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  assert.ok(text.includes(createHash('sha256').update(body).digest('hex')));
});

test('over the bounds, of number and of bytes, and over the time it is 503 with Retry-After', async (t) => {
  const { port, route, serviceTraffic } = await runDataPath(t);
  const isRefused = async (options?: Parameters<typeof ask>[2]): Promise<void> => {
    const { status, headers } = await ask(port, 'web.test', options);
    assert.deepEqual([status, headers['retry-after']], [503, '5']);
  };
  route(parked({}, { requests: 1 }));
  const first = ask(port, 'web.test');
  await until('it waits', () => serviceTraffic('web').waiting === 1);
  await isRefused();
  route(parked({}, { bytes: 200 }));
  await isRefused({ path: `/${'x'.repeat(300)}` });
  assert.equal(serviceTraffic('web').waiting, 1);
  route(parked({}, null));
  assert.equal((await first).status, 503);
  route(parked({}, { ms: 20 }));
  await isRefused();
  const { parked: count, parked_rejected: rejected, unavailable, waiting } = serviceTraffic('web');
  assert.deepEqual([count, rejected, unavailable, waiting], [4, 4, 4, 0]);
});

test('who goes away leaves the queue, be it an upgrade or a request behind another', async (t) => {
  const { port, runDir, route, serviceTraffic } = await runDataPath(t);
  let asked = 0;
  await httpReplica(t, join(runDir, 'r'), (_, res) => {
    asked += 1;
    res.end();
  });
  route(parked({}));
  const get = 'GET / HTTP/1.1\r\nHost: web.test\r\n\r\n';
  const upgrade =
    'GET / HTTP/1.1\r\nHost: web.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n';
  const post = 'POST / HTTP/1.1\r\nHost: web.test\r\nContent-Length: 100\r\n\r\nhalf of it';
  const sockets = [get + get, upgrade, post].map((text) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(text);
    return socket;
  });
  await until('they wait', () => serviceTraffic('web').waiting === 4);
  for (const socket of sockets) socket.destroy();
  await until('they are gone', () => serviceTraffic('web').waiting === 0);
  route(parked({ r: join(runDir, 'r') }));
  assert.equal((await ask(port, 'web.test')).status, 200);
  assert.equal(asked, 1);
});

test('a WebSocket waits too', async (t) => {
  const { port, runDir, route, serviceTraffic } = await runDataPath(t);
  const server = await httpReplica(t, join(runDir, 'r'), (_, res) => res.end());
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) =>
    socket.on('message', (data: Buffer) => socket.send(`echo ${String(data)}`)),
  );
  route(parked({}));
  const client = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { host: 'web.test' } });
  t.after(() => client.terminate());
  client.on('open', () => client.send('hello'));
  await until('it waits', () => serviceTraffic('web').waiting === 1);
  const answer = new Promise((resolve) => client.on('message', (data: Buffer) => resolve(String(data))));
  route(parked({ r: join(runDir, 'r') }));
  assert.equal(await answer, 'echo hello');
});

test('while requests are parked a replica that refuses the connection makes them wait, not fail', async (t) => {
  const { port, runDir, route, serviceTraffic } = await runDataPath(t);
  route(parked({ gone: join(runDir, 'gone') }));
  const answer = ask(port, 'web.test', { method: 'POST', body: 'once' });
  await until('it waits', () => serviceTraffic('web').waiting === 1);
  await httpReplica(t, join(runDir, 'gone'), (req, res) => void req.pipe(res));
  // Without another snapshot: the replica that is named may just be late.
  assert.equal((await answer).body, 'once');
  assert.equal(serviceTraffic('web').unavailable, 0);
});

test('a service that is stopped or gone lets nobody wait', async (t) => {
  const { port, route, serviceTraffic } = await runDataPath(t);
  for (const [next, status] of [
    [routesTo({}), 404],
    [parked({}, null), 503],
  ] as const) {
    route(parked({}));
    const answer = ask(port, 'web.test');
    await until('it waits', () => serviceTraffic('web').waiting === 1);
    route(next);
    assert.equal((await answer).status, status);
  }
});

test('requests under way finish while new ones wait', async (t) => {
  const { port, runDir, route, dataPath, serviceTraffic } = await runDataPath(t);
  let finish: (() => void) | undefined;
  await httpReplica(t, join(runDir, 'old'), (_, res) => {
    res.write('old ');
    finish = () => res.end('done');
  });
  await httpReplica(t, join(runDir, 'new'), (_, res) => res.end('new'));
  route(routesTo({ web: { old: join(runDir, 'old') } }));
  const under = exchangeRaw(port, 'GET / HTTP/1.1\r\nHost: web.test\r\nConnection: close\r\n\r\n');
  await until('it is under way', () => finish !== undefined);
  route(parked({}));
  const waits = ask(port, 'web.test');
  await until('it waits', () => serviceTraffic('web').waiting === 1);
  assert.deepEqual(dataPath.busy(), ['old']);
  finish?.();
  assert.match(await under, /done/);
  assert.deepEqual(dataPath.busy(), []);
  route(parked({ new: join(runDir, 'new') }));
  assert.equal((await waits).body, 'new');
});

test('a worker that ends answers those that wait', async (t) => {
  const { port, route, dataPath, serviceTraffic } = await runDataPath(t);
  route(parked({}));
  const answer = ask(port, 'web.test');
  await until('it waits', () => serviceTraffic('web').waiting === 1);
  const drained = dataPath.drain({ idle_ms: 0, limit_ms: 500 });
  assert.equal((await answer).status, 503);
  await drained;
});

test('the longest wait is of the last time that requests were parked', async (t) => {
  const { port, runDir, route, serviceTraffic } = await runDataPath(t);
  await httpReplica(t, join(runDir, 'r'), (_, res) => res.end());
  route(parked({}));
  const answer = ask(port, 'web.test');
  await until('it waits', () => serviceTraffic('web').waiting === 1);
  route(parked({ r: join(runDir, 'r') }, null));
  await answer;
  assert.ok(serviceTraffic('web').parked_longest_ms > 0);
  route(parked({}));
  assert.equal(serviceTraffic('web').parked_longest_ms, 0);
});

test('a flood on few connections is bounded by the number of requests', async (t) => {
  const { port, route, serviceTraffic } = await runDataPath(t);
  route(parked({}, { requests: 50 }));
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.write('GET / HTTP/1.1\r\nHost: web.test\r\n\r\n'.repeat(500));
  await until('the rest is refused', () => serviceTraffic('web').parked_rejected === 450);
  assert.equal(serviceTraffic('web').waiting, 50);
  const big = request({ port, host: '127.0.0.1', method: 'POST', headers: { host: 'web.test' } });
  big.on('error', () => big.destroy());
  big.end('x');
  await until('it is refused', () => serviceTraffic('web').parked_rejected === 451);
});

test('one that waited finds what it was let go for dying again, and is as patient with it as a new one', async (t) => {
  const { port, runDir, route, serviceTraffic } = await runDataPath(t);
  const path = join(runDir, 'r');
  route(parked({ r: path }));
  const answer = ask(port, 'web.test', { method: 'POST', body: 'once' });
  // Whatever it may try at once it has tried by then.
  await until('it waits', () => serviceTraffic('web').waiting === 1);
  route(parked({ r: path }, null));
  await new Promise((resolve) => setTimeout(resolve, 300));
  await httpReplica(t, path, (req, res) => void req.pipe(res));
  assert.deepEqual((({ status, body }) => [status, body])(await answer), [200, 'once']);
});
