/** Whoever comes while a stop-first release is under way waits, whatever they are, and the receipt counts them, on a real engine. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, it } from 'node:test';
import { WebSocket } from 'ws';
import type { Receipt } from '../../specs/deployment.ts';
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import { app, type App } from '../support/apps.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { createService, deploymentsOf } from '../support/node-api.ts';

/** Answers requests with their bodies. It takes its time to start, in which a release has everybody wait. */
const echo = '#!/bin/sh\nprintf "Content-Type: text/plain\\r\\n\\r\\n"\nhead -c "${CONTENT_LENGTH:-0}"\n';
/** Answers a WebSocket's handshake (RFC 6455) with a text frame, and anything else with 200. */
const socket = `#!/bin/sh
read -r request
while read -r line; do
  line=\${line%?}
  case $line in '') break ;; [Ss]ec-[Ww]eb[Ss]ocket-[Kk]ey:*) key=\${line#*: } ;; esac
done
if [ -z "$key" ]; then printf 'HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\nConnection: close\\r\\n\\r\\nwell'; exit; fi
accept=$(printf '%s258EAFA5-E914-47DA-95CA-C5AB0DC85B11' "$key" | sha1sum | cut -d' ' -f1 | xxd -r -p | base64)
printf 'HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: %s\\r\\n\\r\\n' "$accept"
printf '\\201\\004tick'
sleep 1
`;
/** @param serve the command that serves */
const dockerfile = (serve: string): string =>
  `FROM busybox\nCOPY . /app\nCMD ["sh", "-c", "trap exit TERM; sleep 6 & wait; exec ${serve}"]\n`;

let node: TestNode;
const apps: App[] = [];
const services: ServiceResource[] = [];

before(async () => {
  node = await startNode();
  for (const [name, serve] of [
    ['web', 'httpd -f -p $PORT -h /app/www'],
    ['sockets', 'nc -ll -p $PORT -e /app/serve'],
  ] as const) {
    services.push(await createService(node, { name, release: { strategy: 'recreate', drain: '5s' } }));
    apps.push(await app(`demo/${name}`, { Dockerfile: dockerfile(serve), version: '1' }));
  }
  await apps[0]?.write('www/index.html', 'well');
  await apps[0]?.write('www/cgi-bin/echo', echo, 0o755);
  await apps[1]?.write('serve', socket, 0o755);
  await push();
});

after(async () => {
  await node.stop();
  for (const { remove } of apps) await remove();
});

async function push(...flags: string[]): Promise<void> {
  for (const { dir } of apps) await must(node.svc(['push', ...flags], { cwd: dir }));
}

async function newest(service: ServiceResource | undefined): Promise<DeploymentResource> {
  assert.ok(service);
  const [deployment] = await deploymentsOf(node, service);
  assert.ok(deployment);
  return deployment;
}

function asking(method: string, headers: Record<string, string | number> = {}): ClientRequest {
  const to = { port: node.httpPort, host: '127.0.0.1', path: '/cgi-bin/echo', agent: false } as const;
  return request({ ...to, method, headers: { host: 'web.demo.localhost', ...headers } });
}

async function answerTo(asked: ClientRequest): Promise<string> {
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return `${response.statusCode} ${text.length}`;
}

/** Its body comes in a hundred pieces, which takes longer than it has to wait. */
async function slowly(bytes: number): Promise<string> {
  const asked = asking('POST', { 'content-length': bytes });
  const answer = answerTo(asked);
  for (let piece = 0; piece < 100; piece++) {
    asked.write('x'.repeat(bytes / 100));
    await pause(100);
  }
  asked.end();
  return answer;
}

async function tick(): Promise<string> {
  const headers = { host: 'sockets.demo.localhost' };
  const opened = new WebSocket(`ws://127.0.0.1:${node.httpPort}/`, { headers });
  const [data] = (await once(opened, 'message')) as [Buffer];
  opened.terminate();
  return data.toString();
}

const receiptOf = (service: ServiceResource | undefined): Promise<Receipt> =>
  until(
    'the receipt is final',
    async () => {
      const { receipt } = await newest(service);
      return typeof receipt?.finished_at === 'string' && receipt;
    },
    60_000,
  );

it('has bodies, slow clients and WebSockets wait, forgets who leaves, and counts them all', async () => {
  for (const { write } of apps) await write('version', '2');
  await push('--no-follow');
  for (const service of services)
    await until('what served has stopped', async () => (await newest(service)).reason === 'WaitingForHealth');
  const begun = performance.now();
  const sizes = [1_000, 200_000, 3_000_000];
  const bodies = sizes.map((bytes) =>
    answerTo(asking('POST', { 'content-length': bytes }).end('x'.repeat(bytes))),
  );
  const plain = [1, 2, 3].map(() => answerTo(asking('GET').end()));
  const lasting = [slowly(100_000), tick()];
  const leaving = [asking('GET'), asking('POST', { 'content-length': 10 })];
  for (const asked of leaving) asked.on('error', () => undefined).flushHeaders();
  await pause(1_000);
  for (const asked of leaving) asked.destroy();

  const answers = await Promise.all([...bodies, ...plain]);
  const waited = performance.now() - begun;
  assert.deepEqual(answers, [...sizes.map((bytes) => `200 ${bytes}`), '200 0', '200 0', '200 0']);
  assert.deepEqual(await Promise.all(lasting), ['200 100000', 'tick']);
  for (const [service, count] of [
    [services[0], 9],
    [services[1], 1],
  ] as const) {
    const { failed, aborted, parked, parked_longest_ms: longest } = await receiptOf(service);
    assert.deepEqual({ failed, aborted, parked }, { failed: 0, aborted: 0, parked: count });
    assert.ok(
      longest >= 1_000 && longest <= waited + 10_000,
      `the longest waited ${longest} of ${waited} ms`,
    );
  }
});
