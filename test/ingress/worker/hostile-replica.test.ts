import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ask, exchangeRaw } from '../support/client.ts';
import { runDataPath } from '../support/data-paths.ts';
import { httpReplica, rawReplica, routesTo } from '../support/replicas.ts';

const get = 'GET / HTTP/1.1\r\nHost: web.test\r\nConnection: close\r\n\r\n';

/** What a replica says to a request, and what the client must get: a 502, or a connection that breaks. */
const answers: [what: string, says: string, result: 502 | 'broken'][] = [
  ['nothing', '', 502],
  ['garbage', '\x00\x01\x02\xff'.repeat(100), 502],
  ['a request', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', 502],
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 502],
  ['half a head', 'HTTP/1.1 200 OK\r\nContent-Le', 502],
  ['an endless head', `HTTP/1.1 200 OK\r\n${'X-Long: y\r\n'.repeat(100_000)}`, 502],
  [
    'a length and chunks',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    502,
  ],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello', 502],
  ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n', 502],
  ['a header that is none', 'HTTP/1.1 200 OK\r\nbad header\r\n\r\n', 502],
  ['a name with a space', 'HTTP/1.1 200 OK\r\nX-A : 1\r\nContent-Length: 0\r\n\r\n', 502],
  ['a bare line feed in a header', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok', 502],
  ['a folded header', 'HTTP/1.1 200 OK\r\nX-A: 1\r\n 2\r\nContent-Length: 0\r\n\r\n', 502],
  ['a NUL in a header', 'HTTP/1.1 200 OK\r\nX-A: \x00\r\nContent-Length: 0\r\n\r\n', 502],
  [
    '101 unasked',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    502,
  ],
  ['1xx without end', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(50), 502],
  ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n', 502],
  ['less than it announced', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort', 'broken'],
  ['chunks without an end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n', 'broken'],
  [
    'a chunk that is none',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n',
    'broken',
  ],
];

describe('a replica that says', () => {
  for (const [what, says, result] of answers) {
    test(`${what}: ${result}`, async (t) => {
      const { port, runDir, route } = await runDataPath(t);
      await rawReplica(t, join(runDir, 'r'), (socket) =>
        socket.once('data', () => socket.end(says, 'latin1')),
      );
      await httpReplica(t, join(runDir, 'good'), (_, res) => res.end('good'));
      route(routesTo({ web: { r: join(runDir, 'r') }, good: { g: join(runDir, 'good') } }));
      const text = await exchangeRaw(port, get);
      if (result === 502) assert.match(text, /^HTTP\/1\.1 502 Bad Gateway\r\n/);
      else assert.doesNotMatch(text, /\r\n0\r\n\r\n$/);
      assert.doesNotMatch(text, /^HTTP\/1\.1 200[^]*HTTP\/1\.1 /);
      assert.equal((await ask(port, 'good.test')).body, 'good');
    });
  }

  test('more than its answer: the next request does not get the rest', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    const both = (socket: Socket): void => {
      const one = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none';
      socket.on('data', () => socket.write(`${one}${one.replace('one', 'two')}`));
    };
    await rawReplica(t, join(runDir, 'r'), both);
    route(routesTo({ web: { r: join(runDir, 'r') } }));
    for (let i = 0; i < 5; i += 1)
      assert.match(await exchangeRaw(port, get), /^HTTP\/1\.1 (200 OK[^]*one$|502 )/);
  });

  test('something before it is asked: nobody gets it', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    await rawReplica(t, join(runDir, 'r'), (socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison'),
    );
    route(routesTo({ web: { r: join(runDir, 'r') } }));
    const text = await exchangeRaw(port, get.replace('Connection: close\r\n', ''), (got) =>
      got.endsWith('poison'),
    );
    // Its own clients' trouble only: it answered, if early.
    assert.match(text, /^HTTP\/1\.1 (200|502) /);
  });
});

describe('a replica whose socket is', () => {
  for (const [what, plant] of [
    ['a link to another socket', (own: string, other: string) => symlink(other, own)],
    ['a file', (own: string) => writeFile(own, '')],
    ['a directory', (own: string) => mkdir(own)],
  ] as const) {
    test(`${what} is not reached`, async (t) => {
      const { port, runDir, route } = await runDataPath(t);
      let reached = false;
      const other = join(runDir, 'other.sock');
      await httpReplica(t, other, (_, res) => ((reached = true), res.end('secret')));
      await mkdir(join(runDir, 'r'));
      const own = join(runDir, 'r/svc.sock');
      await plant(own, other);
      route(routesTo({ web: { r: { socket: own, via: 'direct' } } }));
      assert.equal((await ask(port, 'web.test')).status, 503);
      assert.equal(reached, false);
    });
  }

  test('what it should be is reached', async (t) => {
    const { port, runDir, route } = await runDataPath(t);
    await mkdir(join(runDir, 'r'));
    await httpReplica(t, join(runDir, 'r/svc.sock'), (_, res) => res.end('direct'));
    route(routesTo({ web: { r: { socket: join(runDir, 'r/svc.sock'), via: 'direct' } } }));
    assert.equal((await ask(port, 'web.test')).body, 'direct');
  });
});
