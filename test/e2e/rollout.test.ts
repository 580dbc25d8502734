/** Nothing that clients do fails while deployments, restarts, rollbacks and replicas come and go, on a real engine. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ServiceResource } from '../../specs/resources.ts';
import { app, serving, type App } from '../support/apps.ts';
import { asking, connected, listening, Load } from '../support/load.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { createService, deploymentsOf, fromApi } from '../support/node-api.ts';

const scripts = {
  echo: '#!/bin/sh\nprintf "Content-Type: text/plain\\r\\n\\r\\n"\nhead -c "$CONTENT_LENGTH"\n',
  slow: '#!/bin/sh\nsleep 2\nprintf "Content-Type: text/plain\\r\\n\\r\\nslow"\n',
  events:
    '#!/bin/sh\nprintf "Content-Type: text/event-stream\\r\\n\\r\\n"\nwhile printf "data: tick\\n\\n"; do sleep 0.2; done\n',
};
/** A server of WebSockets: the handshake of RFC 6455, then a text frame now and then. */
const sockets = `#!/bin/sh
read -r request
while read -r line; do
  line=\${line%?}
  case $line in '') break ;; [Ss]ec-[Ww]eb[Ss]ocket-[Kk]ey:*) key=\${line#*: } ;; esac
done
if [ -z "$key" ]; then printf 'HTTP/1.1 200 OK\\r\\nContent-Length: 4\\r\\nConnection: close\\r\\n\\r\\nwell'; exit; fi
accept=$(printf '%s258EAFA5-E914-47DA-95CA-C5AB0DC85B11' "$key" | sha1sum | cut -d' ' -f1 | xxd -r -p | base64)
printf 'HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: %s\\r\\n\\r\\n' "$accept"
while printf '\\201\\004tick'; do sleep 0.2; done
`;
const socketsImage = 'FROM busybox\nCOPY serve /serve\nCMD ["sh", "-c", "exec nc -ll -p $PORT -e /serve"]\n';

let node: TestNode;
const apps: App[] = [];
const services: ServiceResource[] = [];

before(async () => {
  node = await startNode();
  const release = { auto_rollback: true, bake: '3s', drain: '15s' };
  services.push(await createService(node, { name: 'web', release }));
  services.push(await createService(node, { name: 'sockets', release }));
  apps.push(await app('demo/web', { Dockerfile: serving, 'www/index.html': '0' }));
  apps.push(await app('demo/sockets', { Dockerfile: socketsImage }));
  for (const [name, script] of Object.entries(scripts))
    await apps[0]?.write(`www/cgi-bin/${name}`, script, 0o755);
  await apps[1]?.write('serve', sockets, 0o755);
  await pushAll();
});

after(async () => {
  await node.stop();
  for (const { remove } of apps) await remove();
});

async function pushAll(): Promise<void> {
  for (const { dir } of apps) await must(node.svc(['push'], { cwd: dir }));
}

async function settled(): Promise<void> {
  for (const service of services)
    await until(
      'all receipts are final',
      async () => {
        const all = await deploymentsOf(node, service);
        return all.every(({ receipt }) => receipt === null || receipt.finished_at !== null);
      },
      60_000,
    );
}

/** What the ingress logged about replicas. */
function complaints(): string[] {
  return node
    .log()
    .split('\n')
    .filter((line) => line.includes('from replica'));
}

describe('a service under load', () => {
  it('fails no request through pushes, restarts, rollbacks and changed numbers of replicas', async () => {
    const load = new Load();
    const port = node.httpPort;
    load.start({ port, host: 'web.demo.localhost' }, [
      // Busybox' httpd forks for every request and lets nine wait: a machine that is short of CPU must not overrun it.
      ...Array.from({ length: 2 }, () => asking('get', '/', { every: 50 })),
      asking('post', '/cgi-bin/echo', { body: 20_000, every: 150 }),
      ...Array.from({ length: 2 }, () => asking('slow', '/cgi-bin/slow', { every: 200 })),
      ...Array.from({ length: 2 }, () => listening('/cgi-bin/events')),
    ]);
    load.start({ port, host: 'sockets.demo.localhost' }, [connected('/'), connected('/')]);

    for (const content of ['1', '2', '3']) {
      await apps[0]?.write('www/index.html', content);
      await apps[1]?.write('version', content);
      await pushAll();
      // At once into the watch over the one before, and behind it.
      if (content === '2') await settled();
    }
    await must(node.svc(['restart', 'demo/web']));
    await must(node.svc(['rollback', 'demo/web']));
    for (const replicas of [3, 1]) {
      await fromApi(node, 'PATCH', `/v1/services/${services[0]?.id}`, { replicas });
      await until('there are so many', async () => {
        const [web] = services;
        const all = web ? await deploymentsOf(node, web) : [];
        const serving = all.find(({ promoted }) => promoted)?.replicas ?? [];
        return serving.length === replicas && serving.every(({ phase }) => phase === 'Ready');
      });
    }
    await settled();
    await load.stop();

    const { stdout: events } = await must(node.svc(['events', '-p', 'demo', '-o', 'wide']));
    assert.deepEqual(load.failures, [], [...load.failures, ...complaints(), events].join('\n'));
    for (const kind of ['get', 'post', 'slow', 'events', 'websocket'])
      assert.ok((load.answers[kind] ?? 0) > 3, `${kind}: ${load.answers[kind]}`);
    const [web] = services;
    const receipts = (web ? await deploymentsOf(node, web) : []).flatMap(({ receipt }) => receipt ?? []);
    assert.equal(receipts.length, 3, 'of all but the first, which took over from nothing');
    for (const { failed, aborted, parked, served_new: served } of receipts) {
      assert.deepEqual({ failed, aborted, parked }, { failed: 0, aborted: 0, parked: 0 });
      assert.ok(served > 0);
    }
    const served = receipts.reduce((sum, { served_old: old, served_new: own }) => sum + old + own, 0);
    const answers = ['get', 'post', 'slow', 'events'].map((kind) => load.answers[kind] ?? 0);
    assert.ok(served <= answers.reduce((sum, count) => sum + count, 0) + 10);
  });
});
