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

const health = { path: '/ready', interval: '1s', timeout: '200ms', deadline: '2m', successes: 1 };
const ask = createAsk({ dial, admit });

/** A workload that listens on a socket of its own. */
async function workload(t: TestContext, via: Upstream['via'], answer?: RequestListener): Promise<Upstream> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-ask-'));
  const socket = join(dir, 'svc.sock');
  if (answer) {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
  }
  t.after(() => rm(dir, { recursive: true }));
  return { socket, via };
}

const masks = createMasks(() => ['correct horse\nbattery']);
const mask = (text: string) => masks.text('prj', text);
const asking = (upstream: Upstream) => ask({ upstream, health, mask }, new AbortController().signal);

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
  assert.deepEqual(await asking(silent), { ok: false, words: 'no answer in time' });
  const endless = await workload(t, 'bridged', (_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), 1);
    response.on('close', () => clearInterval(timer));
  });
  assert.equal((await asking(endless)).ok, true);
});

it('says that nothing listens yet', async (t) => {
  assert.equal((await asking(await workload(t, 'bridged'))).words, 'nothing listens on $PORT yet');
  assert.equal((await asking(await workload(t, 'direct'))).words, 'nothing listens on $SVC_SOCKET yet');
});
