/** Workloads that listen on a Unix socket of their own, and those that abuse the directory it is in. */
import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ServiceResource } from '../../specs/resources.ts';
import { app, type App } from '../support/apps.ts';
import { engineCall } from '../support/http-answer.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { containersOf, createService, deploymentsOf } from '../support/node-api.ts';
import { takeProgram } from '../support/packages.ts';

const host = 'sock.demo.localhost';
const secret = 'this is not for you';
/** @param setup what the workload does first */
const listening = (setup = 'true') =>
  [
    'FROM busybox',
    'COPY root /',
    'COPY www /www',
    `CMD ["sh", "-c", "${setup}; exec socat UNIX-LISTEN:$SVC_SOCKET,fork EXEC:'httpd -i -h /www'"]`,
    '',
  ].join('\n');
const running = (command: string) => `FROM busybox\nCMD ${JSON.stringify(['sh', '-c', command])}\n`;

let node: TestNode;
let sock: App;
let service: ServiceResource;
let victim: { server: Server; dir: string; path: string; connections: number };

before(async () => {
  victim = await startVictim();
  node = await startNode();
  service = await createService(node, { name: 'sock', listen: 'socket', health: { deadline: '5s' } });
  sock = await app('demo/sock', { 'www/index.html': 'over a socket' });
  await takeProgram('socat', join(sock.dir, 'root'));
  await sock.write('Dockerfile', listening());
  // Once asked, it is another: what answers for it now is a link.
  const turn = `#!/bin/sh\nrm $SVC_SOCKET\nln -s ${victim.path} $SVC_SOCKET\nprintf "\\r\\n\\r\\nturned"\n`;
  await sock.write('www/cgi-bin/turn', turn, 0o755);
});

after(async () => {
  await node.stop();
  await sock.remove();
  victim.server.close();
  await rm(victim.dir, { recursive: true });
});

/** Something else on this host that anybody may connect to. */
async function startVictim(): Promise<typeof victim> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-victim-'));
  await chmod(dir, 0o755);
  const path = join(dir, 'other.sock');
  const server = createServer((_, response) => response.end(secret));
  const made = { server, dir, path, connections: 0 };
  server.on('connection', () => made.connections++);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  await chmod(path, 0o777);
  return made;
}

async function push(dockerfile: string) {
  await sock.write('Dockerfile', dockerfile);
  const { code, stdout, stderr } = await node.svc(['push'], { cwd: sock.dir });
  const [deployment] = await deploymentsOf(node, service);
  assert.ok(deployment);
  return { code, said: stdout + stderr, deployment };
}

async function killIt(): Promise<void> {
  for (const { Id } of await containersOf(node, { 'svc.service': 'sock' }))
    await engineCall(node.engine, 'POST', `/containers/${Id}/kill`);
}

const restarts = async () =>
  (await deploymentsOf(node, service)).find(({ promoted }) => promoted)?.replicas[0]?.restarts;

describe('a workload that listens on a socket of its own', () => {
  it('is served', async () => {
    const { code, said } = await push(listening());
    assert.equal(code, 0, said);
    assert.equal((await node.get(host)).text, 'over a socket');
  });

  it('is served again after a restart, by another replica', async () => {
    const [before] = await containersOf(node, { 'svc.service': 'sock' });
    await must(node.svc(['restart', 'demo/sock']));
    assert.equal((await node.get(host)).text, 'over a socket');
    const [now] = await containersOf(node, { 'svc.service': 'sock' });
    assert.notEqual(now?.Id, before?.Id);
  });

  it('finds no socket of its earlier run when it was killed, and is served again', async () => {
    await killIt();
    await until('it serves again', async () => (await node.get(host)).status === 200);
    assert.equal(await restarts(), 1);
  });

  it('sees its own directory and nothing else of the node', async () => {
    const [container] = await containersOf(node, { 'svc.service': 'sock' });
    assert.deepEqual(
      container?.Mounts.map(({ Type, Destination }) => [Type, Destination]),
      [['bind', '/run/svc']],
    );
  });
});

describe('a workload that wants to pass for another', () => {
  const tricks = {
    'a link to a socket of the host': 'ln -s VICTIM $SVC_SOCKET; exec sleep 1000',
    'a file': 'echo hello > $SVC_SOCKET; exec sleep 1000',
    'a pipe that nobody reads': 'mkfifo $SVC_SOCKET; exec sleep 1000',
  };
  for (const [trick, command] of Object.entries(tricks)) {
    it(`with ${trick} is not healthy, and nothing else was reached`, async () => {
      const { code, said, deployment } = await push(running(command.replace('VICTIM', victim.path)));
      assert.deepEqual(
        [code, deployment.status, deployment.reason],
        [1, 'Failed', 'HealthCheckFailed'],
        said,
      );
      assert.match(said, /is not a socket|link/);
      assert.equal(victim.connections, 0);
      assert.equal((await node.get(host)).text, 'over a socket');
    });
  }

  it('once it serves gets no request to where its link points', async () => {
    assert.match((await node.get(host, '/cgi-bin/turn')).text, /turned/);
    const answers = await Promise.all(Array.from({ length: 8 }, () => node.get(host)));
    assert.ok(answers.every(({ status, text }) => status >= 500 && !text.includes(secret)));
    assert.equal(victim.connections, 0);
  });

  it('serves again once it was started anew', async () => {
    await killIt();
    await until('it serves again', async () => (await node.get(host)).text === 'over a socket');
    assert.equal(victim.connections, 0);
  });
});
