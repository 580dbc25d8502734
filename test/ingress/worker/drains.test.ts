import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { exchangeRaw, readUntil } from '../support/client.ts';
import { runDataPath, type Running } from '../support/data-paths.ts';
import { httpReplica, rawReplica, routesTo, type Routes } from '../support/replicas.ts';
import { until } from '../support/sandbox.ts';

/** A service `web` whose replicas have so long when they leave. */
function draining(replicas: Record<string, string>, ms: number): Routes {
  const routes = routesTo({ web: replicas });
  const services = Object.entries(routes.services).map(([id, route]) => [id, { ...route, drain_ms: ms }]);
  return { ...routes, services: Object.fromEntries(services) as Routes['services'] };
}

interface Chat extends Running {
  /** Both ends of a WebSocket that is open. */
  open(): Promise<{ client: WebSocket; server: WebSocket }>;
}

async function chat(t: TestContext): Promise<Chat> {
  const running = await runDataPath(t);
  const { port, runDir } = running;
  const server = await httpReplica(t, join(runDir, 'old'), (_, res) => res.end());
  const sockets = new WebSocketServer({ server });
  t.after(() => {
    for (const socket of sockets.clients) socket.terminate();
  });
  return {
    ...running,
    async open() {
      const accepted = once(sockets, 'connection') as Promise<[WebSocket]>;
      const client = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { host: 'web.test' } });
      t.after(() => client.terminate());
      await once(client, 'open');
      const [other] = await accepted;
      return { client, server: other };
    },
  };
}

const closed = async (socket: WebSocket): Promise<number> => ((await once(socket, 'close')) as [number])[0];

describe('a WebSocket whose replica leaves', () => {
  test('is told 1001 on both sides, orderly, and is no loss', async (t) => {
    const { open, route, runDir, traffic, idle } = await chat(t);
    route(draining({ old: join(runDir, 'old') }, 60_000));
    const { client, server } = await open();
    const codes = [closed(client), closed(server)];
    route(draining({}, 60_000));
    assert.deepEqual(await Promise.all(codes), [1001, 1001]);
    await until('it is idle', () => idle.includes('old'));
    const { closed: count, aborted, tunnels, open: under } = traffic('old');
    assert.deepEqual([count, aborted, tunnels, under], [1, 0, 0, 0]);
  });

  test('gets every message whole, in the middle of a stream of them', async (t) => {
    const { open, route, runDir } = await chat(t);
    route(draining({ old: join(runDir, 'old') }, 60_000));
    const { client, server } = await open();
    const text = 'x'.repeat(70_000);
    const wrong: unknown[] = [];
    let got = 0;
    client.on('error', (error) => wrong.push(error));
    client.on('message', (data: Buffer) => {
      got += 1;
      if (String(data) !== text) wrong.push(data);
    });
    const flood = setInterval(() => {
      for (let i = 0; i < 20 && server.readyState === WebSocket.OPEN; i += 1) server.send(text);
    }, 1);
    t.after(() => clearInterval(flood));
    await until('it flows', () => got > 50);
    const code = closed(client);
    route(draining({}, 60_000));
    assert.equal(await code, 1001);
    assert.deepEqual(wrong, []);
  });

  test('what the client said before it knew reaches the replica', async (t) => {
    const { open, route, runDir } = await chat(t);
    route(draining({ old: join(runDir, 'old') }, 60_000));
    const { client, server } = await open();
    const heard: string[] = [];
    server.on('message', (data: Buffer) => heard.push(String(data)));
    route(draining({}, 60_000));
    client.send('last words');
    await closed(server);
    assert.deepEqual(heard, ['last words']);
  });

  test('they do not leave all at once, but spread over the time, oldest first', async (t) => {
    const { open, route, runDir } = await chat(t);
    route(draining({ old: join(runDir, 'old') }, 1_000));
    const left: number[] = [];
    for (let index = 0; index < 8; index += 1) {
      const { client } = await open();
      client.on('close', () => left.push(index));
    }
    route(draining({}, 1_000));
    await until('the first has left', () => left.length > 0);
    assert.ok(left.length < 8, 'all of them left at once');
    await until('all have left', () => left.length === 8);
    assert.deepEqual(left, [0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test('stays when the replica is routed again', async (t) => {
    const { open, port, route, runDir, traffic } = await chat(t);
    await httpReplica(t, join(runDir, 'mute'), () => undefined);
    const both = draining({ old: join(runDir, 'old'), mute: join(runDir, 'mute') }, 400);
    const onlyOld = draining({ old: join(runDir, 'old') }, 400);
    route(onlyOld);
    const [first, second] = [await open(), await open()];
    route(both);
    const asked = [1, 2].map(() =>
      exchangeRaw(port, 'GET / HTTP/1.1\r\nHost: web.test\r\nConnection: close\r\n\r\n'),
    );
    await until('the mute one is asked', () => traffic('mute').requests === 1);
    const code = closed(first.client);
    route(draining({}, 400));
    route(onlyOld);
    assert.equal(await code, 1001);
    // What the mute one was asked ends at the deadline, which is the same.
    assert.ok((await Promise.all(asked)).some((text) => text.startsWith('HTTP/1.1 502')));
    assert.equal(second.client.readyState, WebSocket.OPEN);
    assert.deepEqual([traffic('old').tunnels, traffic('old').aborted], [1, 0]);
  });

  test('in the middle of a message that never ends is cut at the deadline', async (t) => {
    const running = await runDataPath(t);
    await rawReplica(t, join(running.runDir, 'old'), (socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
        socket.write(Buffer.from([0x82, 126, 0xff, 0xff, 1, 2, 3]));
      });
    });
    running.route(draining({ old: join(running.runDir, 'old') }, 100));
    const socket = connect(running.port, '127.0.0.1');
    socket.on('error', () => socket.destroy());
    socket.write(
      'GET / HTTP/1.1\r\nHost: web.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n',
    );
    await readUntil(socket, '\x03');
    running.route(draining({}, 100));
    await once(socket, 'close');
    await until('it is idle', () => running.idle.includes('old'));
    assert.deepEqual([running.traffic('old').aborted, running.traffic('old').closed], [1, 0]);
  });
});

describe('an answer whose replica leaves', () => {
  interface Answering extends Running {
    /** Asks, and gives both ends once the head has come. */
    get(): Promise<{ response: IncomingMessage; server: ServerResponse; text: () => string }>;
  }

  async function answering(
    t: TestContext,
    type: string,
    more: Record<string, string> = {},
  ): Promise<Answering> {
    const running = await runDataPath(t);
    const { port, runDir } = running;
    const answers: ServerResponse[] = [];
    await httpReplica(t, join(runDir, 'old'), (_, res) => {
      res.writeHead(200, { 'content-type': type, ...more }).flushHeaders();
      answers.push(res);
    });
    const get: Answering['get'] = async () => {
      const asked = request({ port, host: '127.0.0.1', headers: { host: 'web.test' } }).end();
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      const server = answers.pop();
      assert.ok(server);
      let text = '';
      response.on('data', (chunk: Buffer) => (text += String(chunk)));
      response.on('error', () => undefined);
      return { response, server, text: () => text };
    };
    return { ...running, get };
  }

  test('of events ends behind the one under way, as if it were over', async (t) => {
    const { get, route, runDir, traffic, idle } = await answering(t, 'text/event-stream; charset=utf-8');
    route(draining({ old: join(runDir, 'old') }, 60_000));
    const { response, server, text } = await get();
    server.write('id: 1\ndata: one\n\nid: 2\nda');
    await until('it flows', () => text().endsWith('da'));
    route(draining({}, 60_000));
    server.write('ta: two\n\nid: 3\ndata: three\n\n');
    await once(response, 'end');
    assert.equal(text(), 'id: 1\ndata: one\n\nid: 2\ndata: two\n\n');
    assert.equal(response.complete, true);
    await until('it is idle', () => idle.includes('old'));
    assert.deepEqual([traffic('old').closed, traffic('old').aborted, traffic('old').failed], [1, 0, 0]);
  });

  test('of events that are silent ends at once', async (t) => {
    const { get, route, runDir } = await answering(t, 'text/event-stream');
    route(draining({ old: join(runDir, 'old') }, 60_000));
    const { response } = await get();
    route(draining({}, 60_000));
    await once(response, 'end');
    assert.equal(response.complete, true);
  });

  test('of coded events ends where the replica paused', async (t) => {
    const { get, route, runDir } = await answering(t, 'text/event-stream', { 'content-encoding': 'br' });
    route(draining({ old: join(runDir, 'old') }, 60_000));
    const { response, server, text } = await get();
    server.write('\x01\x02');
    await until('it flows', () => text() === '\x01\x02');
    route(draining({}, 60_000));
    await once(response, 'end');
    assert.equal(response.complete, true);
  });

  test('that is long goes on until the deadline, and is then cut so that the client knows', async (t) => {
    const { get, route, runDir, traffic, idle } = await answering(t, 'application/octet-stream');
    route(draining({ old: join(runDir, 'old') }, 300));
    const [long, short] = [await get(), await get()];
    route(draining({}, 300));
    short.server.end('done');
    await once(short.response, 'end');
    assert.equal(short.text(), 'done');
    await new Promise((resolve) => long.response.once('close', resolve));
    assert.equal(long.response.complete, false);
    await until('it is idle', () => idle.includes('old'));
    const { aborted, answered, failed, closed: count } = traffic('old');
    assert.deepEqual([aborted, answered, failed, count], [1, 2, 0, 0]);
  });

  test('that has not begun is a 502 at the deadline', async (t) => {
    const { port, runDir, route, traffic } = await runDataPath(t);
    await httpReplica(t, join(runDir, 'old'), () => undefined);
    route(draining({ old: join(runDir, 'old') }, 200));
    const answer = exchangeRaw(port, 'GET / HTTP/1.1\r\nHost: web.test\r\nConnection: close\r\n\r\n');
    await until('it is asked', () => traffic('old').requests === 1);
    // Its service is gone altogether: what it said last about its drain counts.
    route(routesTo({}));
    assert.match(await answer, /^HTTP\/1\.1 502/);
    assert.deepEqual([traffic('old').aborted, traffic('old').gone, traffic('old').open], [1, 0, 0]);
  });
});

test('a worker that drains lets go of what lasts within its limit', async (t) => {
  const { open, route, runDir, dataPath } = await chat(t);
  route(draining({ old: join(runDir, 'old') }, 60_000));
  const [first, second] = [await open(), await open()];
  const codes = [closed(first.client), closed(second.client)];
  const drained = dataPath.drain({ idle_ms: 0, limit_ms: 1_000 });
  assert.deepEqual(await Promise.all(codes), [1001, 1001]);
  await drained;
});
