import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createBridge } from '../../../ingress/bridge/bridge.ts';
import { runBridge, stalledWorkload, tcpWorkload, type RunningBridge } from '../support/bridges.ts';
import { routesTo } from '../support/replicas.ts';
import { sandbox, until } from '../support/sandbox.ts';

async function run(t: TestContext): Promise<RunningBridge> {
  const { runDir } = await sandbox(t);
  return runBridge(t, runDir);
}

function dialed(t: TestContext, path: string): Socket {
  const socket = connect({ path, allowHalfOpen: true });
  t.after(() => socket.destroy());
  return socket;
}

async function all(socket: Socket): Promise<string> {
  let text = '';
  for await (const part of socket) text += String(part);
  return text;
}

test('says on one of its two sockets that it reached the workload, before anything else', async (t) => {
  const { sockets, route } = await run(t);
  const { port } = await tcpWorkload(t, (socket) => socket.end('hello'));
  await route({ r: port });
  assert.equal(await all(dialed(t, join(sockets, 'r.ack.sock'))), '\0hello');
  // Workers of an earlier release know nothing of that.
  assert.equal(await all(dialed(t, join(sockets, 'r.sock'))), 'hello');
});

test('gives a connection to a workload up when nobody waits for it any longer', async (t) => {
  const { sockets, route } = await run(t);
  const { port } = await stalledWorkload(t);
  await route({ r: port });
  const socket = dialed(t, join(sockets, 'r.ack.sock'));
  socket.end();
  // Not even how it went: it was closed before that.
  assert.equal(await all(socket), '');
});

test('what one side ends the other may still answer', async (t) => {
  const { sockets, route } = await run(t);
  // Answers only to the end of what it is asked.
  const { port } = await tcpWorkload(
    t,
    (socket) => void all(socket).then((text) => socket.end(text.toUpperCase())),
  );
  await route({ r: port });
  const socket = dialed(t, join(sockets, 'r.sock'));
  socket.end('half-close');
  assert.equal(await all(socket), 'HALF-CLOSE');
});

test('a workload that ends first still gets the rest', async (t) => {
  const { sockets, route } = await run(t);
  let got = '';
  const { port } = await tcpWorkload(t, (socket) => {
    socket.end('bye');
    void all(socket).then((text) => (got = text));
  });
  await route({ r: port });
  const socket = dialed(t, join(sockets, 'r.sock'));
  assert.equal(await all(socket), 'bye');
  socket.end('x'.repeat(1_000_000));
  await until('all of it came', () => got.length === 1_000_000);
});

test('who does not read holds the other side up', async (t) => {
  const { sockets, route } = await run(t);
  let sent = 0;
  const { port } = await tcpWorkload(t, (socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65_536))) sent += 65_536;
      socket.once('drain', more);
    };
    more();
  });
  await route({ r: port });
  const socket = dialed(t, join(sockets, 'r.sock'));
  socket.pause();
  let last = -1;
  await until('it is held up', async () => {
    const still = sent === last && sent > 0;
    last = sent;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return still;
  });
  assert.ok(sent < 32 * 1024 * 1024);
});

test('a workload that refuses is a connection that ends without a word', async (t) => {
  const { sockets, route } = await run(t);
  const { server, port } = await tcpWorkload(t, () => undefined);
  await new Promise((resolve) => server.close(resolve));
  await route({ r: port });
  const socket = dialed(t, join(sockets, 'r.sock'));
  socket.write('GET / HTTP/1.1\r\n\r\n');
  assert.equal(await all(socket).catch(() => ''), '');
});

test('a workload too busy to accept gets the request once it does, also after seconds', async (t) => {
  const { sockets, route } = await run(t);
  const { port, goOn } = await stalledWorkload(t);
  await route({ r: port });
  const socket = dialed(t, join(sockets, 'r.sock'));
  socket.write('GET / HTTP/1.0\r\n\r\n');
  const answer = all(socket);
  await pause(6_000);
  goOn();
  assert.match(await answer, /^HTTP\/1.1 200 OK\r\n/);
});

test('an end with an error reaches the other side, either way', async (t) => {
  const { sockets, route } = await run(t);
  const opened: Socket[] = [];
  const { port } = await tcpWorkload(t, (socket) => opened.push(socket));
  await route({ r: port });
  const first = dialed(t, join(sockets, 'r.sock'));
  first.write('x');
  await until('it is there', () => opened.length === 1);
  opened[0]?.resetAndDestroy();
  await once(first.resume(), 'end');
  const second = dialed(t, join(sockets, 'r.sock'));
  second.write('x');
  await until('it is there', () => opened.length === 2);
  second.destroy();
  await once(opened[1]?.resume() ?? first, 'end');
});

test('an entry that leaves is listened for no more, but what it carries goes on', async (t) => {
  const { sockets, route } = await run(t);
  const { port } = await tcpWorkload(t, (socket) => void socket.pipe(socket));
  await route({ r: port, other: port });
  const socket = dialed(t, join(sockets, 'r.sock'));
  socket.write('before ');
  await once(socket, 'data');
  await route({ other: port });
  assert.equal(existsSync(join(sockets, 'r.sock')), false);
  socket.end('after');
  assert.equal(await all(socket), 'after');
});

test('an entry whose address changed leads to the new one, without a moment in which nobody listens', async (t) => {
  const { sockets, route } = await run(t);
  const [one, two] = [
    await tcpWorkload(t, (socket) => socket.end('one')),
    await tcpWorkload(t, (socket) => socket.end('two')),
  ];
  await route({ r: one.port });
  assert.equal(await all(dialed(t, join(sockets, 'r.sock'))), 'one');
  const changing = route({ r: two.port });
  assert.match(await all(dialed(t, join(sockets, 'r.sock'))), /one|two/);
  await changing;
  assert.equal(await all(dialed(t, join(sockets, 'r.sock'))), 'two');
});

test('sockets that a killed bridge left behind are taken over or removed, other files stay', async (t) => {
  const { sockets, route } = await run(t);
  const { port } = await tcpWorkload(t, (socket) => socket.end('here'));
  for (const name of ['r.sock', 'r.ack.sock', 'old.sock', 'old.ack.sock'])
    await writeFile(join(sockets, name), '');
  await mkdir(join(sockets, 'direct'));
  await route({ r: port });
  assert.equal(await all(dialed(t, join(sockets, 'r.sock'))), 'here');
  assert.deepEqual((await readdir(sockets)).sort(), ['direct', 'r.ack.sock', 'r.sock']);
});

test('two bridges: the second takes over, and the first may end', async (t) => {
  const first = await run(t);
  const { port } = await tcpWorkload(t, (socket) => void socket.pipe(socket));
  await first.route({ r: port });
  const kept = dialed(t, join(first.sockets, 'r.sock'));
  kept.write('a');
  await once(kept, 'data');
  const second = createBridge(join(first.sockets, '..'), () => undefined);
  t.after(() => second.drain({ idle_ms: 0, limit_ms: 0 }));
  const entry = { socket: join(first.sockets, 'r.sock'), address: '127.0.0.1', port };
  await second.apply({ revision: 1, ...routesTo({}), bridges: { r: entry } });
  const drained = first.bridge.drain({ idle_ms: 0, limit_ms: 60_000 });
  const fresh = dialed(t, join(first.sockets, 'r.sock'));
  fresh.end('fresh');
  assert.equal(await all(fresh), 'fresh');
  kept.end('kept');
  assert.equal(await all(kept), 'kept');
  await drained;
  assert.equal(existsSync(join(first.sockets, 'r.sock')), true);
});

test('a path that is too long costs only its own replica', async (t) => {
  const { sockets, reports, route } = await run(t);
  const { port } = await tcpWorkload(t, (socket) => socket.end('here'));
  await route({ ['x'.repeat(108)]: port, r: port });
  assert.equal(await all(dialed(t, join(sockets, 'r.sock'))), 'here');
  assert.equal(reports.length, 1);
});
