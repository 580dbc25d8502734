import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { before, describe, test, after } from 'node:test';
import type { Ingress } from '../../../ingress/index.ts';
import { serve, startIngress } from '../support/ingresses.ts';
import { httpReplica, routesTo } from '../support/replicas.ts';
import { sandbox, until, type Sandbox } from '../support/sandbox.ts';

const size = 256 * 1024 * 1024;
const chunk = Buffer.alloc(64 * 1024, 'x');

/** MiB that a worker may grow by while `size` passes. */
const growth = 64;

describe('big bodies, through a worker of its own', () => {
  const cleanups: (() => unknown)[] = [];
  const t = { after: (fn: () => unknown) => void cleanups.unshift(fn) } as Parameters<typeof startIngress>[0];
  let place: Sandbox;
  let ingress: Ingress;
  let sent = 0;
  let received = 0;

  before(async () => {
    place = await sandbox(t);
    ingress = await startIngress(t, place);
    const socket = join(place.runDir, 'sockets/r');
    await httpReplica(t, socket, (req, res) => {
      if (req.method === 'GET') return void source((count) => (sent += count)).pipe(res);
      req.on('data', (data: Buffer) => (received += data.length));
      req.on('end', () => res.end(String(received)));
    });
    await serve(ingress, routesTo({ web: { r: socket } }));
    // Loads what the first request loads.
    await read(await open('POST', Readable.from([chunk])));
  });
  after(async () => {
    for (const cleanup of cleanups) await cleanup();
  });

  const open = (method: string, body?: Readable): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const asked = request(
        { port: place.port, host: '127.0.0.1', method, headers: { host: 'web.test' } },
        resolve,
      );
      asked.on('error', reject);
      if (body === undefined) asked.end();
      else void pipeline(body, asked).catch(reject);
    });
  const rss = (): number => {
    const pid = ingress.workers()[0]?.pid ?? 0;
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  };

  test('download: memory is flat, and a client that does not read holds the replica up', async () => {
    const before = rss();
    sent = 0;
    const response = await open('GET');
    response.pause();
    let last = -1;
    await until('the replica is held up', async () => {
      const still = sent === last && sent > 0;
      last = sent;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return still;
    });
    assert.ok(sent < 32 * 1024 * 1024, `${sent} bytes are somewhere between`);
    assert.equal(await read(response), size);
    assert.ok(rss() - before < growth, `grew by ${rss() - before} MiB`);
  });

  test('upload: memory is flat, and all of it arrives', async () => {
    const before = rss();
    received = 0;
    const response = await open(
      'POST',
      source(() => undefined),
    );
    let text = '';
    for await (const part of response) text += String(part);
    assert.equal(text, String(size));
    assert.ok(rss() - before < growth, `grew by ${rss() - before} MiB`);
  });
});

function source(count: (bytes: number) => void): Readable {
  let left = size;
  return new Readable({
    read() {
      count(chunk.length);
      left -= chunk.length;
      this.push(left < 0 ? null : chunk);
    },
  });
}

async function read(response: IncomingMessage): Promise<number> {
  let total = 0;
  for await (const part of response as AsyncIterable<Buffer>) total += part.length;
  return total;
}
