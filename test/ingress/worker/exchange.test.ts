import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ask, exchangeRaw, readUntil } from '../support/client.ts';
import { runDataPath } from '../support/data-paths.ts';
import { httpReplica, rawReplica, routesTo, stop } from '../support/replicas.ts';

describe('when a replica fails', () => {
  test('one that takes no connection is passed over, with the body untouched', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    await httpReplica(t, join(runDir, 'good'), (req, res) => void req.pipe(res));
    route(routesTo({ web: { gone: join(runDir, 'gone'), good: join(runDir, 'good') } }));
    for (let i = 0; i < 4; i += 1) {
      const { status, body } = await ask(port, 'web.test', { method: 'POST', body: 'payload' });
      assert.deepEqual([status, body], [200, 'payload']);
    }
  });

  test('the only one may be a moment late', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    route(routesTo({ web: { late: join(runDir, 'late') } }));
    const answer = ask(port, 'web.test');
    await once(setTimeoutEmitter(60), 'over');
    await httpReplica(t, join(runDir, 'late'), (_, res) => res.end('here'));
    assert.equal((await answer).body, 'here');
  });

  test('none that takes a connection is 503: it has seen nothing, and may be asked again', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    route(routesTo({ web: { gone: join(runDir, 'gone') } }));
    const { status, headers, body } = await ask(port, 'web.test', { method: 'POST' });
    assert.deepEqual([status, headers['retry-after']], [503, '5']);
    assert.equal((JSON.parse(body) as { code: string }).code, 'unavailable');
  });

  test('a kept connection that the replica closed costs a GET nothing', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    const path = join(runDir, 'r');
    let kept = await httpReplica(t, path, (_, res) => res.end('one'));
    route(routesTo({ web: { r: path } }));
    await ask(port, 'web.test');
    await stop(kept);
    kept = await httpReplica(t, path, (_, res) => res.end('two'));
    assert.equal((await ask(port, 'web.test')).body, 'two');
  });

  test('a request with effects is never sent twice', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    let asked = 0;
    await rawReplica(t, join(runDir, 'r'), (socket) =>
      socket.once('data', () => ((asked += 1), socket.destroy())),
    );
    route(routesTo({ web: { r: join(runDir, 'r') } }));
    for (const method of ['POST', 'DELETE', 'PATCH']) {
      asked = 0;
      assert.equal((await ask(port, 'web.test', { method })).status, 502);
      assert.equal(asked, 1, method);
    }
  });

  test('a GET that ends its replica is taken to one more at most', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    let asked = 0;
    const names = ['r1', 'r2', 'r3', 'r4'];
    for (const name of names)
      await rawReplica(t, join(runDir, name), (socket) =>
        socket.once('data', () => ((asked += 1), socket.destroy())),
      );
    route(routesTo({ web: Object.fromEntries(names.map((name) => [name, join(runDir, name)])) }));
    assert.equal((await ask(port, 'web.test')).status, 502);
    assert.equal(asked, 2);
  });
});

describe('what passes', () => {
  test('the replica sees the request as it was, and who sent it', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    let seen: IncomingMessage | undefined;
    await httpReplica(t, join(runDir, 'r'), (req, res) => ((seen = req), res.end()));
    route(routesTo({ web: { r: join(runDir, 'r') } }));
    await ask(port, 'Web.test:81', {
      path: '//x/%2e?q=%00',
      headers: { 'x-forwarded-for': '6.6.6.6', 'x-one': '1' },
    });
    assert.equal(seen?.url, '//x/%2e?q=%00');
    const {
      host,
      'x-one': one,
      'x-forwarded-for': from,
      'x-forwarded-host': asked,
      'x-forwarded-proto': scheme,
    } = seen.headers;
    assert.deepEqual(
      [host, one, from, asked, scheme],
      ['Web.test:81', '1', '127.0.0.1', 'Web.test:81', 'http'],
    );
  });

  test('the client sees the answer as it was', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    await httpReplica(t, join(runDir, 'r'), (_, res) => {
      res.writeHead(418, 'Short and stout', [
        'Set-Cookie',
        'a=1',
        'Set-Cookie',
        'b=2',
        'X-Bytes',
        'caf\u00e9',
      ]);
      res.end('tea');
    });
    route(routesTo({ web: { r: join(runDir, 'r') } }));
    const text = await exchangeRaw(port, 'GET / HTTP/1.1\r\nHost: web.test\r\nConnection: close\r\n\r\n');
    assert.match(
      text,
      /^HTTP\/1\.1 418 Short and stout\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Bytes: caf\u00e9\r\n/,
    );
    assert.match(text, /\r\n3\r\ntea\r\n0\r\n\r\n$/);
  });

  test('HEAD, 204 and 304 have no body and keep the connection', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    await httpReplica(t, join(runDir, 'r'), (req, res) => {
      if (req.url === '/204') res.writeHead(204);
      if (req.url === '/304') res.writeHead(304, { etag: '"x"' });
      if (req.method === 'HEAD') res.writeHead(200, { 'content-length': 5 });
      res.end(req.url === '/last' ? 'done' : undefined);
    });
    route(routesTo({ web: { r: join(runDir, 'r') } }));
    const requests = ['HEAD /', 'GET /204', 'GET /304', 'GET /last'].map(
      (line) => `${line} HTTP/1.1\r\nHost: web.test\r\n\r\n`,
    );
    const text = await exchangeRaw(port, requests.join(''), (got) => got.includes('done'));
    assert.deepEqual(
      [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1]),
      ['200', '204', '304', '200'],
    );
    assert.match(text, /content-length: 5\r\n/i);
  });

  test('HTTP/1.0 gets no chunks', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    await httpReplica(t, join(runDir, 'r'), (_, res) => {
      res.write('a');
      res.end('b');
    });
    route(routesTo({ web: { r: join(runDir, 'r') } }));
    const text = await exchangeRaw(port, 'GET / HTTP/1.0\r\nHost: web.test\r\n\r\n');
    assert.match(text, /\r\n\r\nab$/);
    assert.doesNotMatch(text, /transfer-encoding/i);
  });

  test('100 Continue is the replica\u2019s to say', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    const replica = await httpReplica(t, join(runDir, 'r'), (req, res) => void req.pipe(res));
    let wanted = true;
    replica.on('checkContinue', (req: IncomingMessage, res) => {
      if (wanted) {
        res.writeContinue();
        req.pipe(res);
      } else res.writeHead(413).end();
    });
    route(routesTo({ web: { r: join(runDir, 'r') } }));
    const head = 'POST / HTTP/1.1\r\nHost: web.test\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n';
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.write(head);
    await readUntil(socket, '100 Continue\r\n\r\n');
    socket.write('body');
    assert.match(await readUntil(socket, 'body'), /^HTTP\/1\.1 200/);
    wanted = false;
    assert.match(await exchangeRaw(port, head), /^HTTP\/1\.1 413/);
  });

  test('the head of a stream comes before its first event', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    await httpReplica(t, join(runDir, 'r'), (_, res) =>
      res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
    );
    route(routesTo({ web: { r: join(runDir, 'r') } }));
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.write('GET / HTTP/1.1\r\nHost: web.test\r\n\r\n');
    assert.match(await readUntil(socket, '\r\n\r\n'), /text\/event-stream/);
  });

  test('CONNECT and TRACE are 405', async (t) => {
    const { port, route } = await runDataPath(t);
    route(routesTo({}));
    assert.match(
      await exchangeRaw(port, 'CONNECT a.test:80 HTTP/1.1\r\nHost: a.test:80\r\n\r\n'),
      /^HTTP\/1\.1 405/,
    );
    assert.match(await exchangeRaw(port, 'TRACE / HTTP/1.1\r\nHost: a.test\r\n\r\n'), /^HTTP\/1\.1 405/);
  });
});

function setTimeoutEmitter(ms: number): EventTarget {
  const target = new EventTarget();
  setTimeout(() => target.dispatchEvent(new Event('over')), ms);
  return target;
}
