import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { createAsk } from '../../../controllers/replica/ask.ts';
import { admit, dial } from '../../../ingress/index.ts';
import type { Upstream } from '../../../ingress/index.ts';
import { createMasks } from '../../../specs/mask.ts';
import { runBridge, stalledWorkload, tcpWorkload } from '../../ingress/support/bridges.ts';
import { freePort } from '../../support/free-port.ts';

const health = { path: '/ready', interval: '1s', timeout: '5s', deadline: '2m', successes: 1 };
const ask = createAsk({ dial, admit });

/** A workload that listens on a socket of its own, or on a port behind a bridge. */
async function workload(t: TestContext, via: Reached, answer: RequestListener): Promise<Upstream> {
  const dir = await directory(t);
  const server = createServer(answer);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket = join(dir, 'svc.sock');
  const place = via === 'direct' ? socket : { port: await freePort(), host: '127.0.0.1' };
  await new Promise<void>((resolve) => server.listen(place, resolve));
  if (typeof place === 'string') return { socket, via: 'direct' };
  return behindBridge(t, dir, place.port);
}

type Reached = 'bridged' | 'direct';

async function behindBridge(t: TestContext, dir: string, port: number): Promise<Upstream> {
  const bridge = await runBridge(t, dir);
  await bridge.route({ r: port });
  return bridge.upstream('r');
}

async function directory(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-ask-'));
  t.after(() => rm(dir, { recursive: true }));
  return dir;
}

const masks = createMasks(() => ['correct horse\nbattery']);
const mask = (text: string) => masks.text('prj', text);
const asking = (upstream: Upstream, timeout = health.timeout) =>
  ask({ upstream, health: { ...health, timeout }, mask }, new AbortController().signal);

for (const via of ['bridged', 'direct'] as const) {
  it(`asks the health path over a ${via} socket`, async (t) => {
    const upstream = await workload(t, via, (request, response) => {
      response.writeHead(request.url === '/ready' ? 204 : 404).end();
    });
    assert.deepEqual(await asking(upstream), { ok: true, words: '204 from /ready' });
  });
}

it('quotes what a workload says that is not ready', async (t) => {
  const upstream = await workload(
    t,
    'bridged',
    (_, response) => void response.writeHead(503).end('warming\nup'),
  );
  assert.deepEqual(await asking(upstream), { ok: false, words: '503: "warming\\nup"' });
});

it('takes no redirect for health, and says where it led', async (t) => {
  const upstream = await workload(
    t,
    'bridged',
    (_, response) => void response.writeHead(301, { location: 'https://x/' }).end(),
  );
  assert.equal((await asking(upstream)).words, '301 to https://x/: a health path must answer 2xx itself');
});

it('quotes no secret: not over lines, not cut off, not where a redirect leads', async (t) => {
  const saying = async (answer: RequestListener) =>
    (await asking(await workload(t, 'bridged', answer))).words;
  assert.equal(
    await saying((_, response) => void response.writeHead(500).end('no "correct horse\n\nbattery"\n')),
    '500: "no \\"***\\n\\n***\\""',
  );
  const long = 'x'.repeat(500);
  assert.equal(
    await saying((_, response) => void response.writeHead(500).end(`${long} correct horse battery`)),
    `500: "${long} ***…"`,
  );
  const location = `https://x/?${encodeURIComponent('correct horse\nbattery')}`;
  assert.match(
    await saying((_, response) => void response.writeHead(302, { location }).end()),
    /^302 to https:\/\/x\/\?\*\*\*: /,
  );
});

it('gives up on a workload that does not answer, or answers without end', async (t) => {
  const silent = await workload(t, 'bridged', () => undefined);
  assert.deepEqual(await asking(silent, '200ms'), { ok: false, words: 'no answer in time' });
  const endless = await workload(t, 'bridged', (_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), 1);
    response.on('close', () => clearInterval(timer));
  });
  assert.equal((await asking(endless)).ok, true);
});

it('says why nothing answers', async (t) => {
  const dir = await directory(t);
  const refusing = await behindBridge(t, dir, await freePort());
  assert.deepEqual(await asking(refusing), { ok: false, words: 'nothing listens on $PORT yet' });
  const busy = await behindBridge(t, await directory(t), (await stalledWorkload(t)).port);
  assert.match((await asking(busy, '10s')).words, /^it takes no connection on \$PORT/);
  const notYet: Upstream = { socket: join(dir, 'sockets/other.sock'), via: 'bridged' };
  assert.equal((await asking(notYet)).words, 'the bridge to it is not open yet');
  const own: Upstream = { socket: join(dir, 'svc.sock'), via: 'direct' };
  assert.equal((await asking(own)).words, 'nothing listens on $SVC_SOCKET yet');
});

it('says of one that hangs up that it did, not that nothing listens', async (t) => {
  const { port } = await tcpWorkload(t, (socket) => socket.destroy());
  const upstream = await behindBridge(t, await directory(t), port);
  assert.equal((await asking(upstream)).words, 'it closed the connection without an answer');
});
