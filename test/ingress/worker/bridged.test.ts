/** Requests to workloads behind the bridge: what it means for them that the bridge says whether it reached the workload. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../support/free-port.ts';
import { runBridge, stalledWorkload, tcpWorkload, type RunningBridge } from '../support/bridges.ts';
import { ask, exchangeRaw, readUntil } from '../support/client.ts';
import { runDataPath, type Running } from '../support/data-paths.ts';
import { routesTo, stop } from '../support/replicas.ts';
import { until } from '../support/sandbox.ts';

interface Bridged extends Running {
  bridge: RunningBridge;
}

/** A data path and a bridge, routed to these workloads: replica id → port on loopback. */
async function bridged(t: TestContext, ports: Record<string, number>): Promise<Bridged> {
  const running = await runDataPath(t);
  const bridge = await runBridge(t, running.runDir);
  await bridge.route(ports);
  const replicas = Object.fromEntries(Object.keys(ports).map((id) => [id, bridge.upstream(id)]));
  running.route(routesTo({ web: replicas }));
  return { ...running, bridge };
}

/** An HTTP workload on that port. */
async function serveAt(t: TestContext, port: number, listener: RequestListener): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  t.after(() => stop(server));
}

const upgrade =
  'GET /chat HTTP/1.1\r\nHost: web.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n';
const switched = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

test('a POST to a workload that refuses for a second is answered, once, with its body whole', async (t) => {
  const port = await freePort();
  const running = await bridged(t, { r: port });
  const body = 'x'.repeat(300_000);
  const answer = ask(running.port, 'web.test', { method: 'POST', body });
  await pause(900);
  let asked = 0;
  await serveAt(t, port, (req, res) => {
    asked += 1;
    req.pipe(res);
  });
  const { status, body: echoed } = await answer;
  assert.deepEqual([status, echoed === body, asked], [200, true, 1]);
  assert.deepEqual(running.reports, []);
});

test('a POST goes to the replica that takes it, not to the one that refuses', async (t) => {
  const [good, gone] = [await freePort(), await freePort()];
  await serveAt(t, good, (req, res) => void req.pipe(res));
  const { port, traffic } = await bridged(t, { good, gone });
  for (let i = 0; i < 4; i += 1) {
    const { status, body } = await ask(port, 'web.test', { method: 'POST', body: 'payload' });
    assert.deepEqual([status, body], [200, 'payload']);
  }
  assert.equal(traffic('gone').requests, 0);
});

test('a WebSocket to a workload that refuses for a moment is opened', async (t) => {
  const workload = await freePort();
  const { port } = await bridged(t, { r: workload });
  const client = connect(port, '127.0.0.1');
  t.after(() => client.destroy());
  client.write(`${upgrade}early `);
  await pause(300);
  await tcpWorkload(
    t,
    (socket) => {
      void readUntil(socket, '\r\n\r\n').then(() => {
        socket.write(switched);
        socket.pipe(socket);
      });
    },
    workload,
  );
  assert.match(await readUntil(client, 'early '), /^HTTP\/1\.1 101 /);
});

test('a POST waits where its service has requests wait, for as long as the workload refuses', async (t) => {
  const workload = await freePort();
  const { port, bridge, route, serviceTraffic } = await bridged(t, { r: workload });
  const routes = routesTo({ web: { r: bridge.upstream('r') } });
  const park = { requests: 10, bytes: 1_000_000, ms: 60_000 };
  for (const service of Object.values(routes.services)) Object.assign(service, { park });
  route(routes);
  const answer = ask(port, 'web.test', { method: 'POST', body: 'whole' });
  await until('it waits', () => serviceTraffic('web').waiting === 1);
  let asked = 0;
  await serveAt(t, workload, (req, res) => {
    asked += 1;
    req.pipe(res);
  });
  assert.deepEqual([(await answer).body, asked], ['whole', 1]);
});

test('one whose port accepts and then hangs up is 502 and not asked twice, upgrades too', async (t) => {
  let asked = 0;
  const workload = await tcpWorkload(t, (socket) => {
    asked += 1;
    socket.once('data', () => socket.destroy());
  });
  const { port } = await bridged(t, { r: workload.port });
  assert.equal((await ask(port, 'web.test', { method: 'POST', body: 'x' })).status, 502);
  assert.equal(asked, 1);
  assert.match(await exchangeRaw(port, upgrade), /^HTTP\/1\.1 502 /);
  assert.equal(asked, 2);
});

test('a workload that only refuses is 503 within seconds, and the bridge says why once', async (t) => {
  const workload = await freePort();
  const first = await tcpWorkload(t, (socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'), workload);
  const { port, bridge, traffic } = await bridged(t, { r: workload });
  assert.equal((await ask(port, 'web.test', { method: 'POST' })).status, 204);
  first.server.close();
  assert.equal((await ask(port, 'web.test', { method: 'POST' })).status, 503);
  // Not one request more than what was answered: it has seen nothing of the second.
  assert.deepEqual([traffic('r').requests, traffic('r').failed], [1, 0]);
  const [report, ...more] = bridge.reports;
  assert.deepEqual([report?.message, report?.fields['replica'], more], ['cannot reach a replica', 'r', []]);
  assert.match(String(report?.fields['error']), /ECONNREFUSED/);
});

test('a workload too busy to accept gets the request once it does, also after seconds', async (t) => {
  const workload = await stalledWorkload(t);
  const { port } = await bridged(t, { r: workload.port });
  const answer = ask(port, 'web.test', { method: 'POST', body: 'whole' });
  await pause(4_000);
  workload.goOn();
  assert.deepEqual((await answer).body, 'whole');
});

test('a workload that answers nothing at all holds no request up while another takes it', async (t) => {
  const [black, good] = [await stalledWorkload(t), await freePort()];
  await serveAt(t, good, (req, res) => void req.pipe(res));
  const { port, traffic } = await bridged(t, { black: black.port, good });
  for (const method of ['POST', 'PUT', 'GET', 'HEAD'])
    assert.equal((await ask(port, 'web.test', { method })).status, 200);
  assert.equal(traffic('good').requests, 4);
});

test('a client that goes while its workload is dialled leaves nothing behind', async (t) => {
  const black = await stalledWorkload(t);
  const { port, dataPath, traffic } = await bridged(t, { r: black.port });
  const clients: Socket[] = [];
  for (const head of [upgrade, 'POST / HTTP/1.1\r\nHost: web.test\r\nContent-Length: 9\r\n\r\nx']) {
    const client = connect(port, '127.0.0.1').on('error', () => undefined);
    client.write(head);
    clients.push(client);
  }
  await until('both wait', () => traffic('r').open === 2);
  for (const client of clients) client.resetAndDestroy();
  await until('neither does', () => traffic('r').open === 0);
  assert.deepEqual(dataPath.busy(), []);
});

test('a thousand connections leave none open: answered, refused, hung up on and given up', async (t) => {
  const [good, gone] = [await freePort(), await freePort()];
  await serveAt(t, good, (req, res) => void req.pipe(res));
  const rude = await tcpWorkload(t, (socket) => socket.once('data', () => socket.destroy()));
  const running = await bridged(t, { good, gone, rude: rude.port });
  const files = (): number => readdirSync('/proc/self/fd').length;
  const before = files();
  const one = async (i: number): Promise<void> => {
    if (i % 4 === 0) {
      const client = connect(running.port, '127.0.0.1').on('error', () => undefined);
      client.write('POST / HTTP/1.1\r\nHost: web.test\r\nContent-Length: 9\r\n\r\nx');
      await pause(i % 7);
      client.destroy();
    } else await ask(running.port, 'web.test', { method: i % 4 === 1 ? 'GET' : 'POST', body: 'x' });
  };
  for (let batch = 0; batch < 10; batch += 1)
    await Promise.all(Array.from({ length: 100 }, (_, i) => one(i)));
  // What is kept for the next request goes with its replica.
  running.route(routesTo({}));
  await running.bridge.route({});
  await until('all are closed', () => files() <= before);
  for (const replica of ['good', 'gone', 'rude']) assert.equal(running.traffic(replica).open, 0);
});
