import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { openConnections, timeoutCodes, type Outgoing } from '../../../cli/client/exchange.ts';

/** Connections to a server of its own. */
async function connectionsTo(test: TestContext, listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connections = openConnections(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  test.after(() => {
    connections.close();
    server.closeAllConnections();
    server.close();
  });
  return connections;
}

const outgoing = (change: Partial<Outgoing> = {}): Outgoing => ({
  ...{ method: 'GET', path: '/', headers: {}, body: undefined, signal: undefined },
  ...{ answerTimeout: 60_000, idleTimeout: 60_000 },
  ...change,
});

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of body) text += chunk.toString();
  return text;
}

describe('an exchange', () => {
  it('uses one connection after the other', async (test) => {
    const ports = new Set<number | undefined>();
    const connections = await connectionsTo(test, (request, response) => {
      ports.add(request.socket.remotePort);
      response.end('yes');
    });
    for (let n = 0; n < 3; n += 1) assert.equal(await textOf(await connections.exchange(outgoing())), 'yes');
    assert.equal(ports.size, 1);
  });

  it('ends when the answer does not begin', async (test) => {
    const connections = await connectionsTo(test, () => undefined);
    await assert.rejects(connections.exchange(outgoing({ answerTimeout: 20 })), {
      code: timeoutCodes.answer,
    });
  });

  it('breaks off when the answer does not go on', async (test) => {
    const connections = await connectionsTo(test, (_, response) => void response.write('half of'));
    const body = await connections.exchange(outgoing({ idleTimeout: 20 }));
    await assert.rejects(textOf(body));
  });

  it('has the answer to a request that was refused before its end, and drops the rest of it', async (test) => {
    const connections = await connectionsTo(
      test,
      (_, response) => void response.writeHead(413).end('too much'),
    );
    const body = new Readable({ read: () => undefined });
    body.push('one');
    const closed = new Promise((resolve) => body.once('close', resolve));
    const answer = await connections.exchange(outgoing({ method: 'POST', body }));
    assert.equal(answer.statusCode, 413);
    assert.equal(await textOf(answer), 'too much');
    await closed;
  });

  it('breaks off when the caller leaves', async (test) => {
    const connections = await connectionsTo(test, (_, response) => void response.write('half of'));
    const leave = new AbortController();
    const body = await connections.exchange(outgoing({ signal: leave.signal }));
    const reading = textOf(body);
    leave.abort();
    await assert.rejects(reading);
  });
});
