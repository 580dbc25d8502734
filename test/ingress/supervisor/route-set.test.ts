/** The route set through real processes: swapped, kept, lost. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { snapshotPath } from '../../../ingress/snapshot-file.ts';
import { ask, readUntil, startLoad } from '../support/client.ts';
import { bridgePid, flow, web } from '../support/control-planes.ts';
import { collectLog, makeIngress, serve, startIngress } from '../support/ingresses.ts';
import { httpReplica, routesTo } from '../support/replicas.ts';
import { sandbox, until } from '../support/sandbox.ts';

test('is swapped under load without a failed request, and replicas become idle', async (t) => {
  const place = await sandbox(t);
  const ingress = await startIngress(t, place, { workers: 2 });
  const [one, two] = [await web(t, place, 'one'), await web(t, place, 'two')];
  await serve(ingress, one);
  const load = startLoad(t, place.port, 'web.test', 16);
  let changes = 0;
  ingress.onChange(() => (changes += 1));
  for (let swap = 0; swap < 20; swap += 1) {
    const [next, gone] = swap % 2 === 0 ? [two, 'one'] : [one, 'two'];
    await flow(load, 50);
    await serve(ingress, next);
    await until('the other is idle', () => ingress.isIdle(gone));
  }
  await load.stop();
  assert.deepEqual(load.failures, []);
  assert.ok(load.done() >= 1_000 && changes > 20);
  assert.equal(ingress.applied()?.revision, 21);
});

test('a replica with a request under way is not idle until that ends', async (t) => {
  const place = await sandbox(t);
  const ingress = await startIngress(t, place);
  const socket = join(place.runDir, 'old');
  let finish = (): void => undefined;
  await httpReplica(t, socket, (_, res) => {
    res.write('begun ');
    finish = () => res.end('done');
  });
  await serve(ingress, routesTo({ web: { old: socket } }));
  assert.equal(ingress.isIdle('old'), false);
  const client = connect(place.port, '127.0.0.1');
  t.after(() => client.destroy());
  client.write('GET / HTTP/1.1\r\nHost: web.test\r\n\r\n');
  await readUntil(client, 'begun');
  await serve(ingress, await web(t, place, 'new'));
  assert.equal(ingress.isIdle('old'), false);
  finish();
  await readUntil(client, 'done');
  await until('it is idle', () => ingress.isIdle('old'));
});

test('outlives everything: workers of a fresh start serve the last one, and its number goes on', async (t) => {
  const place = await sandbox(t);
  const routes = await web(t, place, 'r');
  const first = makeIngress(place);
  await first.start();
  await serve(first, routes);
  await serve(first, routes);
  await first.close();
  const second = await startIngress(t, place);
  assert.equal((await ask(place.port, 'web.test')).body, 'r');
  await until('it is acknowledged', () => second.applied()?.revision === 2);
  assert.equal(await serve(second, routes), 3);
  assert.equal(
    (JSON.parse(await readFile(snapshotPath(place.stateDir), 'utf8')) as { revision: number }).revision,
    3,
  );
});

test('an unreadable one on disk stops nothing', async (t) => {
  const place = await sandbox(t);
  await writeFile(snapshotPath(place.stateDir), '{"revision": 7, "hos');
  const { log, lines } = collectLog();
  const ingress = await startIngress(t, place, { log });
  assert.ok(lines.some(({ message }) => message.startsWith('saved route set is unreadable')));
  await serve(ingress, await web(t, place, 'r'));
  assert.equal((await ask(place.port, 'web.test')).body, 'r');
});

test('bridged replicas are reached over TCP, also after the bridge was killed', async (t) => {
  const place = await sandbox(t);
  const ingress = await startIngress(t, place);
  const workload = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntcp'));
  }).listen(0, '127.0.0.1');
  t.after(() => workload.close());
  await once(workload, 'listening');
  const { port } = workload.address() as { port: number };
  const socket = join(place.runDir, 'sockets/r.sock');
  await serve(ingress, {
    ...routesTo({ web: { r: { socket, via: 'bridged' } } }),
    bridges: { r: { socket, address: '127.0.0.1', port } },
  });
  assert.equal((await ask(place.port, 'web.test')).body, 'tcp');
  process.kill(bridgePid(place), 'SIGKILL');
  const posted = { method: 'POST', body: 'once' };
  const answers = await Promise.all([ask(place.port, 'web.test'), ask(place.port, 'web.test', posted)]);
  assert.deepEqual(
    answers.map(({ body }) => body),
    ['tcp', 'tcp'],
  );
});
