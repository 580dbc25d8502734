import assert from 'node:assert/strict';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ask, exchangeRaw, readUntil } from '../support/client.ts';
import { runDataPath } from '../support/data-paths.ts';
import { httpReplica, routesTo } from '../support/replicas.ts';
import { until } from '../support/sandbox.ts';

describe('routing', () => {
  test('before the first snapshot nobody is told that a host does not exist', async (t) => {
    const { port } = await runDataPath(t);
    const { status, headers } = await ask(port, 'web.test');
    assert.deepEqual([status, headers['retry-after']], [503, '2']);
  });

  test('a request reaches the service of its host, whatever the case, port or last dot', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    for (const name of ['a', 'b']) await httpReplica(t, join(runDir, name), (_, res) => res.end(name));
    route(routesTo({ a: { ra: join(runDir, 'a') }, b: { rb: join(runDir, 'b') } }));
    assert.equal((await ask(port, 'a.test')).body, 'a');
    assert.equal((await ask(port, 'B.TEST.:8080')).body, 'b');
    const absolute = await exchangeRaw(
      port,
      'GET http://b.test/ HTTP/1.1\r\nHost: B.test\r\nConnection: close\r\n\r\n',
    );
    assert.match(absolute, /\r\n\r\nb$/);
  });

  test('an unknown host is 404: a page for browsers, a problem for programs, and nothing of the request in either', async (t) => {
    const { port, route } = await runDataPath(t);
    route(routesTo({}));
    const page = await ask(port, 'evil<script>.test'.replace(/[<>]/g, ''), {
      headers: { accept: 'text/html,*/*' },
      path: '/<script>',
    });
    assert.equal(page.status, 404);
    assert.match(page.headers['content-type'] ?? '', /^text\/html/);
    assert.doesNotMatch(page.body, /script|evil/);
    const problem = await ask(port, 'other.test');
    assert.equal(problem.headers['content-type'], 'application/problem+json');
    assert.equal((JSON.parse(problem.body) as { code: string }).code, 'not_found');
  });

  test('no healthy replica, and stopped, are 503 with Retry-After', async (t) => {
    const { port, route } = await runDataPath(t);
    const service = { name: 'x', project: 'p', drain_ms: 30_000, park: null };
    route({
      ...routesTo({}),
      hosts: { 'none.test': 'n', 'stopped.test': 's' },
      services: {
        n: { ...service, running: true, replicas: [] },
        s: { ...service, running: false, replicas: [] },
      },
    });
    for (const host of ['none.test', 'stopped.test']) {
      const { status, headers } = await ask(port, host);
      assert.equal(status, 503);
      assert.ok(Number(headers['retry-after']) > 0);
    }
    assert.match((await ask(port, 'stopped.test')).body, /is stopped/);
  });

  test('the control domain leads to the API', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    await httpReplica(t, join(runDir, 'api'), (req, res) => res.end(`api ${req.url ?? ''}`));
    route(routesTo({}, { control: { host: 'node.test', socket: join(runDir, 'api') } }));
    assert.equal((await ask(port, 'node.test', { path: '/v1/me' })).body, 'api /v1/me');
  });

  test('replicas share the requests, and a swap changes whom the next one goes to', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    for (const name of ['r1', 'r2', 'r3'])
      await httpReplica(t, join(runDir, name), (_, res) => res.end(name));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    const seen = async (): Promise<string[]> => {
      const bodies = [];
      for (let i = 0; i < 6; i += 1) bodies.push((await ask(port, 'web.test', { agent })).body);
      return bodies.sort();
    };
    route(routesTo({ web: { r1: join(runDir, 'r1'), r2: join(runDir, 'r2') } }));
    assert.deepEqual(await seen(), ['r1', 'r1', 'r1', 'r2', 'r2', 'r2']);
    route(routesTo({ web: { r3: join(runDir, 'r3') } }));
    assert.deepEqual(await seen(), ['r3', 'r3', 'r3', 'r3', 'r3', 'r3']);
  });
});

describe('what a request leaves behind', () => {
  test('a client that goes away ends the request at the replica, also one that waits its turn', async (t) => {
    const { port, runDir, route, dataPath } = await runDataPath(t);
    let [open, ended] = [0, 0];
    await httpReplica(t, join(runDir, 'r'), (_, res) => {
      open += 1;
      res.on('close', () => (ended += 1));
    });
    route(routesTo({ web: { r: join(runDir, 'r') } }));
    const socket = connect(port, '127.0.0.1');
    const get = 'GET / HTTP/1.1\r\nHost: web.test\r\n\r\n';
    socket.write(get + get);
    await until('both are asked', () => open === 2);
    socket.destroy();
    await until('both are ended', () => ended === 2);
    route(routesTo({}));
    assert.deepEqual(dataPath.busy(), []);
  });

  test('a replica that leaves while it answers is busy until it has', async (t) => {
    const { port, runDir, route, dataPath, idle } = await runDataPath(t);
    let finish = (): void => undefined;
    await httpReplica(t, join(runDir, 'old'), (_, res) => {
      res.write('first ');
      finish = () => res.end('last');
    });
    await httpReplica(t, join(runDir, 'new'), (_, res) => res.end('new'));
    route(routesTo({ web: { old: join(runDir, 'old') } }));
    const begun = new Promise<IncomingMessage>((resolve) =>
      request({ port, headers: { host: 'web.test' } }, resolve).end(),
    );
    const response = await begun;
    route(routesTo({ web: { new: join(runDir, 'new') } }));
    assert.deepEqual(dataPath.busy(), ['old']);
    assert.equal((await ask(port, 'web.test')).body, 'new');
    assert.equal(idle.length, 0);
    finish();
    let text = '';
    for await (const chunk of response) text += String(chunk);
    assert.equal(text, 'first last');
    await until('the old one is idle', () => idle.includes('old'));
    assert.deepEqual(dataPath.busy(), []);
  });

  test('idle connections to a replica that leaves are closed, those in use are not', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    const replica = await httpReplica(t, join(runDir, 'r'), (_, res) => res.end('x'));
    const count = (): Promise<number> =>
      new Promise((resolve, reject) =>
        replica.getConnections((error, n) => (error ? reject(error) : resolve(n))),
      );
    route(routesTo({ web: { r: join(runDir, 'r') } }));
    await ask(port, 'web.test');
    assert.equal(await count(), 1);
    route(routesTo({}));
    await until('it is closed', async () => (await count()) === 0);
  });

  test('draining: who waits is answered and told to go, nobody new is taken', async (t) => {
    const { port, runDir, route, dataPath } = await runDataPath(t);
    let finish = (): void => undefined;
    await httpReplica(t, join(runDir, 'r'), (req, res) => {
      if (req.url !== '/slow') return void res.end('quick');
      asked = true;
      finish = () => res.end('slow');
    });
    route(routesTo({ web: { r: join(runDir, 'r') } }));
    let asked = false;
    const kept = connect(port, '127.0.0.1');
    const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: web.test\r\n\r\n`;
    kept.write(get('/'));
    await readUntil(kept, 'quick');
    const slow = exchangeRaw(port, get('/slow'));
    await until('it is asked', () => asked);
    const drained = dataPath.drain({ idle_ms: 60_000, limit_ms: 60_000 });
    await until('it listens no more', async () => (await exchangeRaw(port, get('/'))) === '');
    kept.write(get('/'));
    assert.match(await readUntil(kept, 'quick'), /\r\nConnection: close\r\n/);
    finish();
    assert.match(await slow, /slow/);
    await drained;
  });
});
