/** What goes through a console that is open, and everything that ends one. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import type { OpenConsole } from '../../../specs/console.ts';
import { ProblemError } from '../../../specs/problem.ts';
import { giveMember, testApi, type TestApi } from '../../support/api.ts';
import { giveReadyService, giveTicket, openConsole } from '../../support/console-client.ts';
import { eventually } from '../../support/eventually.ts';

async function world(t: TestContext, body: OpenConsole = { tty: false }) {
  const api = await testApi(t);
  const ready = await giveReadyService(api);
  const open = async (token?: string) => {
    const ticket = await giveTicket(api, ready.service.id, body, token);
    const client = await openConsole(api, ready.service.id, { ticket });
    assert.equal((await client.answered).status, 101);
    return { client, process: api.console.last };
  };
  return { api, ...ready, open, ...(await open()) };
}

describe('a console', () => {
  it('carries bytes either way as they are, and stderr apart', async (t) => {
    const { client, process } = await world(t);
    const bytes = randomBytes(300_000);
    for (let at = 0; at < bytes.length; at += 30_000) client.socket.send(bytes.subarray(at, at + 30_000));
    client.socket.send('{"eof": true}');
    await eventually(() => process.inputEnded);
    assert.deepEqual(process.input, bytes);
    process.print(bytes);
    process.print('oh', 'stderr');
    process.exit(255);
    assert.deepEqual(await client.closed, { code: 1000, reason: '' });
    assert.deepEqual(client.bytes(), bytes);
    assert.deepEqual(client.frames(), [{ stderr: Buffer.from('oh').toString('base64') }, { exit: 255 }]);
    await eventually(() => process.closed);
  });

  it('resizes a terminal, and nothing that has none', async (t) => {
    for (const tty of [true, false]) {
      const { client, process } = await world(t, { tty });
      client.socket.send('{"resize": {"cols": 101, "rows": 33}}');
      client.socket.send(Buffer.from('x'));
      await eventually(() => process.input.length === 1);
      assert.deepEqual(process.sizes, tty ? [{ cols: 101, rows: 33 }] : []);
    }
  });

  it('asks the command for no more than its client takes', async (t) => {
    const { client, process } = await world(t);
    client.socket.pause();
    process.floods = Buffer.alloc(256 * 1024);
    process.print('begin');
    await setTimeout(300);
    const pulled = process.pulled;
    await setTimeout(300);
    // What the kernel's buffers hold.
    assert.ok(process.pulled === pulled && pulled < 100, `${pulled} and then ${process.pulled} pieces`);
    client.socket.resume();
    await eventually(() => process.pulled > pulled + 20);
    client.socket.terminate();
    await eventually(() => process.closed);
  });

  it('takes no more from its client than the command reads', async (t) => {
    const { client, process } = await world(t);
    process.isDeaf = true;
    const piece = Buffer.alloc(256 * 1024);
    for (let count = 0; count < 400; count++) client.socket.send(piece);
    await setTimeout(500);
    assert.ok(process.stdin.writableLength < 8 * 2 ** 20, `${process.stdin.writableLength} bytes wait`);
    assert.ok(client.socket.bufferedAmount > 50 * 2 ** 20);
    process.exit(0);
    client.socket.terminate();
  });

  it('closes on frames that are none, with what the RFC says, and ends the command', async (t) => {
    const { open } = await world(t);
    const hostile: [Buffer | string, number][] = [
      ['', 1003],
      ['{', 1003],
      ['null', 1003],
      ['[]', 1003],
      ['{"eof": false}', 1003],
      ['{"resize": {"cols": 0, "rows": 1}}', 1003],
      ['{"resize": {"cols": 1, "rows": 65536}}', 1003],
      ['{"resize": {"cols": 1e999, "rows": 1}}', 1003],
      ['{"resize": {"cols": 1, "rows": 1, "x": 1}}', 1003],
      ['{"exit": 0}', 1003],
      ['{"__proto__": {"eof": true}}', 1003],
      ['x'.repeat(1024 * 1024), 1003],
      [Buffer.alloc(1024 * 1024 + 1), 1009],
    ];
    for (const [frame, code] of hostile) {
      const { client, process } = await open();
      client.socket.send(frame);
      const closed = await client.closed;
      assert.equal(closed.code, code, String(frame).slice(0, 50));
      await eventually(() => process.closed);
    }
    const { client } = await open();
    client.socket.send('{"eof": true}');
    client.socket.send(Buffer.from('more'));
    assert.equal((await client.closed).code, 1008);
  });

  it('takes or refuses any text and any bytes, and the API goes on', async (t) => {
    const { api, open } = await world(t);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.json(), fc.string({ unit: 'binary' }), fc.uint8Array()), { maxLength: 5 }),
        async (frames) => {
          const { client, process } = await open();
          for (const frame of frames) client.socket.send(frame);
          client.socket.close();
          await client.closed;
          await eventually(() => process.closed);
        },
      ),
      { numRuns: 40 },
    );
    assert.equal((await api.call('GET', '/healthz')).status, 200);
    assert.doesNotMatch(api.log(), /"level":50/);
  });
});

describe('a console ends', () => {
  const closedBy = async (t: TestContext, end: (w: Awaited<ReturnType<typeof world>>) => unknown) => {
    const w = await world(t);
    await end(w);
    const closed = await w.client.closed;
    await eventually(() => w.process.closed);
    return closed;
  };

  it('after 30 minutes without a byte either way, and not before', async (t) => {
    const { api, client, process } = await world(t);
    await api.clock.advance(29 * 60_000);
    client.socket.send(Buffer.from('x'));
    await eventually(() => process.input.length === 1);
    await api.clock.advance(29 * 60_000);
    process.print('y');
    await eventually(() => client.bytes().length === 1);
    await api.clock.advance(29 * 60_000);
    assert.equal(client.socket.readyState, client.socket.OPEN);
    await api.clock.advance(60_000);
    assert.deepEqual(await client.closed, {
      code: 4408,
      reason: 'Nothing was typed or printed for 30 minutes.',
    });
    await eventually(() => process.closed);
  });

  it('with the role, the membership, the token and the user of who opened it', async (t) => {
    const ways: ((api: TestApi, project: string, ann: { id: string; token: string }) => Promise<unknown>)[] =
      [
        (api, project) => api.call('PUT', `/v1/projects/${project}/members/ann`, { role: 'Viewer' }),
        (api, project) => api.call('DELETE', `/v1/projects/${project}/members/ann`),
        (api, _project, { id }) => api.call('DELETE', `/v1/users/${id}`),
        async (api, _project, { id }) => {
          const [token] = await api.accounts.listTokens(id, 'api');
          await api.accounts.deleteToken(token?.id ?? '');
        },
      ];
    for (const way of ways) {
      const { api, project, open, client: other } = await world(t);
      const ann = await giveMember(api, 'ann', { [project.id]: 'Operator' });
      const { client, process } = await open(ann.token);
      await way(api, project.id, ann);
      const { code, reason } = await client.closed;
      assert.equal(code, 4403);
      assert.match(reason, /^(This takes|The token is|There is no such service)/);
      await eventually(() => process.closed);
      assert.equal(other.socket.readyState, other.socket.OPEN);
    }
  });

  it('with its token, when that expires', async (t) => {
    const { api, project, open } = await world(t);
    const ann = await giveMember(api, 'ann', { [project.id]: 'Operator' });
    const expires_at = new Date(api.clock.now() + 60_000).toISOString();
    const minted = await api.call(
      'POST',
      '/v1/api-tokens',
      { name: 'x', expires_at },
      {
        authorization: `Bearer ${ann.token}`,
      },
    );
    const { client } = await open(minted.json<{ token: string }>().token);
    await api.clock.advance(59_000);
    assert.equal(client.socket.readyState, client.socket.OPEN);
    await api.clock.advance(1_000);
    assert.equal((await client.closed).code, 4403);
  });

  it('with its service', async (t) => {
    const closed = await closedBy(t, ({ api, service }) => api.call('DELETE', `/v1/services/${service.id}`));
    assert.deepEqual(closed, { code: 4410, reason: 'The service is being deleted.' });
  });

  it('with the node, which waits for the command to be ended', async (t) => {
    const { api, client, process } = await world(t);
    await api.app.close();
    assert.deepEqual(await client.closed, { code: 1001, reason: 'The node is stopping.' });
    assert.ok(process.closed);
  });

  it('when the replica is gone, or the engine breaks off', async (t) => {
    const gone = new ProblemError('conflict', 'The replica does not run any more.');
    const ends = [
      [gone, { code: 4410, reason: 'The replica does not run any more.' }],
      [new Error('The engine broke off'), { code: 1011, reason: 'The engine broke off' }],
    ] as const;
    for (const [error, expected] of ends)
      assert.deepEqual(await closedBy(t, ({ process }) => process.fail(error)), expected);
  });

  it('when the client goes, however it does', async (t) => {
    for (const leave of ['close', 'terminate'] as const)
      await closedBy(t, ({ client }) => client.socket[leave]());
  });

  it('and leaves no timer and no listener', async (t) => {
    const api = await testApi(t);
    const { service } = await giveReadyService(api);
    const timers = api.clock.pending;
    const ticket = await giveTicket(api, service.id);
    const client = await openConsole(api, service.id, { ticket });
    await client.answered;
    assert.ok(api.clock.pending > timers);
    api.console.last.exit(0);
    await client.closed;
    await eventually(() => api.clock.pending === timers);
  });
});
