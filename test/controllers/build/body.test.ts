import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { readBody } from '../../../controllers/build/body.ts';
import { collect } from '../../support/archives.ts';

const never = new AbortController().signal;
const brokenOff = { code: 'bad_request', message: /the upload broke off/ };

describe('readBody', () => {
  it('gives all of a body', async () => {
    const body = Readable.from([Buffer.from('one'), Buffer.from('two')], { objectMode: false });
    assert.equal((await collect(readBody(body, never))).toString(), 'onetwo');
  });

  it('fails when the body fails or closes early', async () => {
    const failing = new PassThrough();
    const reading = collect(readBody(failing, never));
    failing.write('x');
    failing.destroy(new Error('reset'));
    await assert.rejects(reading, brokenOff);
    const closing = new PassThrough();
    const more = collect(readBody(closing, never));
    closing.destroy();
    await assert.rejects(more, brokenOff);
  });

  it('gives up when the signal aborts while nothing comes', async () => {
    const abort = new AbortController();
    const body = new PassThrough();
    const reading = collect(readBody(body, abort.signal));
    abort.abort(new Error('stopping'));
    await assert.rejects(reading, brokenOff);
    assert.equal(body.destroyed, false);
  });

  it('leaves the body standing, with nothing attached, when reading stops', async () => {
    const body = new PassThrough();
    body.write('x');
    for await (const chunk of readBody(body, never)) {
      assert.equal(chunk.toString(), 'x');
      break;
    }
    assert.equal(body.destroyed, false);
    assert.deepEqual([body.listenerCount('readable'), body.listenerCount('error')], [0, 0]);
  });

  it('lets a server answer on the connection, although the client has not sent everything', async (test) => {
    const server = createServer((incoming, response) => {
      void (async () => {
        for await (const chunk of readBody(incoming, never)) if (chunk.length > 0) break;
        response.writeHead(400).end('refused');
        incoming.resume();
      })();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    test.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const answer = await new Promise<string>((resolve, reject) => {
      const client = request({ port, method: 'POST', agent: false }, (response) => {
        collect(response).then((body) => resolve(`${response.statusCode ?? 0} ${body.toString()}`), reject);
      });
      client.on('error', reject);
      client.end(Buffer.alloc(3_000_000));
    });
    assert.equal(answer, '400 refused');
  });
});
