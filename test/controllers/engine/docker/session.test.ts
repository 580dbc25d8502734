import assert from 'node:assert/strict';
import { connect as openHttp2, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import type { Duplex } from 'node:stream';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { connect, type Connection } from '../../../../controllers/engine/connect.ts';
import { deadlines, withDeadline } from '../../../../controllers/engine/deadline.ts';
import { openSession } from '../../../../controllers/engine/docker/session.ts';
import { systemClock } from '../../../../controllers/runtime/system-clock.ts';
import { behaviours, startHostileEngine } from '../../../support/hostile-engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const { signal } = new AbortController();

/** An engine that opens sessions and then speaks first, as BuildKit does. */
async function engineWithSessions(t: TestContext) {
  const path = join(temporaryDirectory(), 'engine.sock');
  const opened = Promise.withResolvers<{ client: ClientHttp2Session; socket: Duplex; id: unknown }>();
  const server = createServer(({ url }, response) =>
    response.end(url?.endsWith('/version') ? '{"Version":"1","ApiVersion":"1.41"}' : '{}'),
  );
  server.on('upgrade', ({ headers }, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
    const client = openHttp2('http://engine', { createConnection: () => socket });
    client.on('error', () => undefined);
    opened.resolve({ client, socket, id: headers['x-docker-expose-session-uuid'] });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { connection: await connect(`unix://${path}`, systemClock), opened: opened.promise };
}

/** One unary call. @returns its status and its message */
async function call(client: ClientHttp2Session, path: string): Promise<{ status: unknown; message: Buffer }> {
  const stream = client.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  let status: unknown;
  for (const event of ['response', 'trailers'] as const)
    stream.on(event, (headers: IncomingHttpHeaders) => (status ??= headers['grpc-status']));
  stream.end(Buffer.alloc(5));
  return { message: Buffer.concat(await stream.toArray()), status };
}

describe('openSession', () => {
  it('answers that it is alive and anonymous, and nothing else', async (t) => {
    const { connection, opened } = await engineWithSessions(t);
    const session = await openSession(connection.slow, signal);
    const { client, id } = await opened;
    assert.equal(id, session.id);
    const health = await call(client, '/grpc.health.v1.Health/Check');
    assert.deepEqual(health, { status: '0', message: Buffer.from([0, 0, 0, 0, 2, 8, 1]) });
    assert.deepEqual(await call(client, '/moby.filesync.v1.Auth/Credentials'), {
      status: '0',
      message: Buffer.alloc(5),
    });
    assert.equal((await call(client, '/moby.buildkit.secrets.v1.Secrets/GetSecret')).status, '12');
    session.close();
    client.destroy();
  });

  it('is over for the engine as soon as it is closed', async (t) => {
    const { connection, opened } = await engineWithSessions(t);
    const session = await openSession(connection.slow, signal);
    const { socket } = await opened;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    session.close();
    await closed;
  });

  it('survives that the engine drops it', async (t) => {
    const { connection, opened } = await engineWithSessions(t);
    const session = await openSession(connection.slow, signal);
    (await opened).socket.destroy();
    await setTimeout(20);
    session.close();
  });

  for (const [name, behave] of Object.entries(behaviours)) {
    it(`ends when the engine is ${name}`, async (t) => {
      const { endpoint, close } = await startHostileEngine(behave);
      t.after(close);
      const connection: Connection = await connect(endpoint, systemClock);
      const clock = new ManualClock();
      const opening = withDeadline(clock, 'open a session', deadlines.read, (deadline) =>
        openSession(connection.slow, deadline),
      );
      const rejected = assert.rejects(opening, { code: 'unavailable' });
      await setTimeout(20);
      await clock.advance(deadlines.read);
      await rejected;
    });
  }
});
