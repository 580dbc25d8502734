/** What the control plane knows of traffic, over the real thing: processes that are swapped, killed and taken over. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { noTraffic, type Ingress, type Traffic } from '../../../ingress/index.ts';
import { currentProgram } from '../../../ingress/supervisor/program.ts';
import { ask, readUntil } from '../support/client.ts';
import { controlPlane, kill, web } from '../support/control-planes.ts';
import { serve, startIngress } from '../support/ingresses.ts';
import { httpReplica, routesTo, type Routes } from '../support/replicas.ts';
import { sandbox, until } from '../support/sandbox.ts';

const of = (ingress: Ingress, replica: string): Traffic => ingress.traffic().replicas[replica] ?? noTraffic();

test('figures of a replica are final and exact the moment that it is idle', async (t) => {
  const place = await sandbox(t);
  const ingress = await startIngress(t, place, { workers: 2 });
  const socket = join(place.runDir, 'old');
  await httpReplica(t, socket, (req, res) => {
    res.statusCode = req.url === '/bad' ? 500 : 200;
    res.end();
  });
  await serve(ingress, routesTo({ web: { old: socket } }));
  for (let index = 0; index < 40; index += 1)
    await ask(place.port, 'web.test', { path: index % 4 === 0 ? '/bad' : '/' });
  await serve(ingress, await web(t, place, 'new'));
  await until('it is idle', () => ingress.isIdle('old'));
  const { requests, answered, errors, failed, open, latency } = of(ingress, 'old');
  assert.deepEqual([requests, answered, errors, failed, open], [40, 40, 10, 0, 0]);
  assert.equal(
    latency.reduce((sum, count) => sum + count, 0),
    40,
  );
  assert.equal(ingress.traffic().services['svc_web']?.total.requests, 40);
});

test('kill -9 of a worker loses no more than what it had not told', async (t) => {
  const place = await sandbox(t);
  const ingress = await startIngress(t, place, { workers: 2 });
  await serve(ingress, await web(t, place, 'r'));
  for (let index = 0; index < 30; index += 1) await ask(place.port, 'web.test');
  await until('all of it is told', () => of(ingress, 'r').requests === 30);
  const victims = ingress.workers().map(({ pid }) => pid);
  for (const pid of victims) process.kill(pid, 'SIGKILL');
  await until('others are there', () => {
    const pids = ingress.workers().map(({ pid }) => pid);
    return pids.length === 2 && !pids.some((pid) => victims.includes(pid));
  });
  assert.equal(of(ingress, 'r').requests, 30);
  for (let index = 0; index < 10; index += 1) await ask(place.port, 'web.test');
  await until('the new ones tell too', () => of(ingress, 'r').requests === 40);
});

test('the next control plane is told everything by workers that live on', async (t) => {
  const place = await sandbox(t);
  const { child } = await controlPlane(t, { place, workers: 2, routes: await web(t, place, 'r') });
  for (let index = 0; index < 10; index += 1) await ask(place.port, 'web.test');
  await kill(child);
  for (let index = 0; index < 10; index += 1) await ask(place.port, 'web.test');
  const ingress = await startIngress(t, place, { workers: 2 });
  await until('it knows', () => of(ingress, 'r').requests === 20);
});

test('a flood of requests that wait leaves a worker\u2019s memory within the bounds, and the rest is refused', async (t) => {
  const place = await sandbox(t);
  const ingress = await startIngress(t, place);
  const bytes = 8 * 1024 * 1024;
  const parked = (routes: Routes): Routes => {
    const services = Object.entries(routes.services).map(([id, route]) => [
      id,
      { ...route, park: { requests: 1_000, bytes, ms: 60_000 } },
    ]);
    return { ...routes, services: Object.fromEntries(services) as Routes['services'] };
  };
  await serve(ingress, await web(t, place, 'r'));
  await ask(place.port, 'web.test', { method: 'POST', body: 'x' });
  await serve(ingress, parked(routesTo({ web: {} })));
  const rss = (): number => {
    const status = readFileSync(`/proc/${ingress.workers()[0]?.pid ?? 0}/status`, 'utf8');
    return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024) / bytes;
  };
  const before = rss();
  const body = Buffer.alloc(1024 * 1024);
  const sockets = Array.from({ length: 400 }, () => {
    const socket = connect(place.port, '127.0.0.1');
    socket.on('error', () => socket.destroy());
    socket.write(`POST / HTTP/1.1\r\nHost: web.test\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.write(body);
    return socket;
  });
  const rest = (): number => ingress.traffic().services['svc_web']?.parked_rejected ?? 0;
  const waiting = (): number => ingress.traffic().services['svc_web']?.waiting ?? 0;
  await until('all of them wait or are refused', () => rest() + waiting() === 400);
  const [wait, grown] = [waiting(), rss() - before];
  for (const socket of sockets) socket.destroy();
  await serve(ingress, routesTo({}));
  assert.ok(wait > 10 && wait <= 64, `${wait} wait`);
  assert.ok(grown < 6, `grew by ${grown} times what may wait`);
});

test('a worker that is replaced tells its WebSockets to go, and the figures stay', async (t) => {
  const place = await sandbox(t);
  const socket = join(place.runDir, 'r');
  const server = await httpReplica(t, socket, (_, res) => res.end());
  server.on('upgrade', (_, other: Socket) => {
    other.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    // A replica that answers a close frame as it should: with the end.
    other.on('data', () => other.end());
  });
  const { child } = await controlPlane(t, { place, workers: 1, routes: routesTo({ web: { r: socket } }) });
  const client = connect(place.port, '127.0.0.1');
  t.after(() => client.destroy());
  client.write(
    'GET / HTTP/1.1\r\nHost: web.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n',
  );
  await readUntil(client, '\r\n\r\n');
  await kill(child);
  const program = { ...currentProgram(), version: 'another' };
  const ended = once(client, 'close');
  const frame = once(client, 'data') as Promise<[Buffer]>;
  const ingress = await startIngress(t, place, { workers: 1, program });
  assert.deepEqual([...(await frame)[0]], [0x88, 2, 0x03, 0xe9]);
  client.write(Buffer.from([0x88, 0x82, 1, 2, 3, 4, 0x03 ^ 1, 0xe9 ^ 2]));
  await ended;
  await until('it told before it ended', () => of(ingress, 'r').closed === 1);
});
