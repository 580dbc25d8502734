import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { describe, it, type TestContext } from 'node:test';
import { WebSocketServer } from 'ws';
import { openConsoleSocket } from '../../../cli/client/console-socket.ts';
import { systemClock } from '../../../controllers/runtime/system-clock.ts';

/** A node that prints and ends as soon as it is connected to. @returns where it is */
async function hastyNode(test: TestContext): Promise<URL> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket) => {
    socket.send(Buffer.from('out'));
    socket.send(JSON.stringify({ stderr: Buffer.from('err').toString('base64') }));
    socket.send(JSON.stringify({ exit: 7 }), () => socket.close());
  });
  await new Promise((resolve) => server.once('listening', resolve));
  test.after(() => server.close());
  return new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

describe('openConsoleSocket', () => {
  it('hands on nothing before it is told to begin, and all of it from then on', async (test) => {
    const url = await hastyNode(test);
    const output = { stdout: new PassThrough(), stderr: new PassThrough() };
    const console = await openConsoleSocket({ base: '', url, agent: 'test', clock: systemClock, output });
    // Long enough for what was sent with the answer to be here.
    await setTimeout(200);
    assert.deepEqual([output.stdout.read(), output.stderr.read()], [null, null]);
    console.begin();
    assert.equal(await console.exit, 7);
    assert.deepEqual([String(output.stdout.read()), String(output.stderr.read())], ['out', 'err']);
  });
});
