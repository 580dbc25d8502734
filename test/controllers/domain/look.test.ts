import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { createLook, type Look, type Seen } from '../../../controllers/domain/look.ts';
import { parseCidrs } from '../../../controllers/network/addresses.ts';
import { guardedFetch } from '../../../controllers/network/guarded-fetch.ts';
import { scriptedServer } from '../../support/http-server.ts';
import { freePort } from '../../support/free-port.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const never = new AbortController().signal;
const clock = new ManualClock();

/** @param allow CIDRs that are open although they are special */
function looking(port: number, addresses: string[] | Error, allow = '127.0.0.0/8'): Look {
  return createLook({
    ...{ clock, port, allow: parseCidrs(allow), fetch: guardedFetch },
    resolve: () => (addresses instanceof Error ? Promise.reject(addresses) : Promise.resolve(addresses)),
  });
}

async function seenOf(look: Look): Promise<Seen[]> {
  const sighting = await look('shop.example.com', 'the-token', never);
  return 'seen' in sighting ? sighting.seen : assert.fail(sighting.failed);
}

async function serving(t: TestContext, answer: (response: ServerResponse) => void) {
  const { url, asked } = await scriptedServer(t, (_, response) => answer(response));
  return { asked, port: Number(new URL(url).port) };
}

describe('a look at a hostname', () => {
  it('fetches the challenge from each address, as the hostname', async (t) => {
    const { asked, port } = await serving(t, (response) => response.end('the-token'));
    assert.deepEqual(await seenOf(looking(port, ['127.0.0.1'])), [
      { address: '127.0.0.1', isHere: true, words: 'answered the challenge' },
    ]);
    const [{ method, path, headers } = assert.fail()] = asked;
    assert.deepEqual([method, path], ['GET', '/.well-known/service-challenge/the-token']);
    assert.equal(headers.host, `shop.example.com:${port}`);
  });

  const answers: [what: string, answer: (response: ServerResponse) => void, words: RegExp][] = [
    ['another text', (r) => r.end('the-token\n'), /^answered something else$/],
    ['more than a token', (r) => r.end('x'.repeat(100_000)), /^answered something else$/],
    ['nothing there', (r) => r.writeHead(404).end('secret'), /^answered with status 404$/],
    [
      'a redirect to where the token is',
      (r) => r.writeHead(301, { location: 'http://127.0.0.1/' }).end('the-token'),
      /^answered with a redirect \(301\), not with the challenge itself$/,
    ],
    ['the token with another status', (r) => r.writeHead(201).end('the-token'), /^answered with status 201$/],
    [
      'a broken connection',
      (r) => r.socket?.destroy(),
      /^could not be asked on port \d+ \(UND_ERR_SOCKET\)$/,
    ],
  ];
  for (const [what, answer, words] of answers) {
    it(`does not take ${what} for the challenge, and quotes nothing of it`, async (t) => {
      const { port, asked } = await serving(t, answer);
      const [seen = assert.fail()] = await seenOf(looking(port, ['127.0.0.1']));
      assert.equal(seen.isHere, false);
      assert.match(seen.words, words);
      assert.equal(asked.length, 1);
    });
  }

  it('does not connect to special addresses, unless the node allows them', async (t) => {
    const { port, asked } = await serving(t, (response) => response.end('the-token'));
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.169.254', '10.0.0.1']) {
      const [seen = assert.fail()] = await seenOf(looking(port, [address], ''));
      assert.deepEqual(seen, { address, isHere: false, words: 'is no public address' });
    }
    assert.equal(asked.length, 0);
  });

  it('connects to what was judged: a name that means another address a moment later does not matter', async (t) => {
    const { port, asked } = await serving(t, (response) => response.end('the-token'));
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    const look = createLook({
      ...{ clock, port, allow: parseCidrs('127.0.0.0/8'), fetch: guardedFetch },
      resolve: () => Promise.resolve(answers.shift() ?? assert.fail('DNS is asked once a look')),
    });
    assert.deepEqual(
      (await seenOf(look)).map(({ isHere }) => isHere),
      [true],
    );
    assert.deepEqual(
      (await seenOf(look)).map(({ words }) => words),
      ['is no public address'],
    );
    assert.equal(asked.length, 1);
  });

  it('says of a port where nobody listens that it refused', async () => {
    const port = await freePort();
    const [seen = assert.fail()] = await seenOf(looking(port, ['127.0.0.1']));
    assert.equal(seen.words, `refused a connection to port ${port}`);
  });

  it('gives an address that says nothing up after ten seconds', async (t) => {
    const connected = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      connected.resolve();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const { port } = server.address() as { port: number };
    const asked = seenOf(looking(port, ['127.0.0.1']));
    await connected.promise;
    await clock.advance(10_000);
    assert.match((await asked)[0]?.words ?? '', /^gave no answer on port \d+ in 10 s$/);
  });

  it('says what DNS said, and ends when it is called off', async () => {
    const failure = Object.assign(new Error('queryA ESERVFAIL'), { code: 'ESERVFAIL' });
    assert.deepEqual(await looking(80, failure)('a.example.com', 't', never), { failed: 'ESERVFAIL' });
    const gone = AbortSignal.abort(new Error('gone'));
    await assert.rejects(looking(80, failure)('a.example.com', 't', gone), { message: 'gone' });
  });
});
