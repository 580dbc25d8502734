/** The health gate on a real engine: how each kind of failure is told, and that it changes nothing that serves. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import { app, type App } from '../support/apps.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { containersOf, createService, deploymentsOf } from '../support/node-api.ts';

const host = 'gated.demo.localhost';
const path = '/cgi-bin/health';
const healthy = 'printf "Content-Type: text/plain\\r\\n\\r\\nfine"\n';
/** @param before what the workload prints before it serves */
const serving = (before = 'true') =>
  ['FROM busybox', 'COPY www /www', `CMD ["sh", "-c", "${before}; exec httpd -f -p $PORT -h /www"]`, ''].join(
    '\n',
  );
const running = (command: string) => `FROM busybox\nCMD ${JSON.stringify(['sh', '-c', command])}\n`;

let node: TestNode;
let gated: App;
let service: ServiceResource;

before(async () => {
  node = await startNode();
  service = await createService(node, {
    name: 'gated',
    health: { path, deadline: '12s', interval: '100ms' },
    resources: { memory: '32Mi' },
  });
  gated = await app('demo/gated', {
    Dockerfile: serving(),
    'www/index.html': 'the good one',
  });
  await gated.write('www/cgi-bin/health', `#!/bin/sh\n${healthy}`, 0o755);
  await must(node.svc(['push'], { cwd: gated.dir }));
});

after(async () => {
  await node.stop();
  await gated.remove();
});

/** Pushes something that must fail. @returns what was said, once nothing of it is left */
async function refused(dockerfile: string): Promise<{ said: string; failed: DeploymentResource }> {
  await gated.write('Dockerfile', dockerfile);
  const { code, stdout, stderr } = await node.svc(['push'], { cwd: gated.dir });
  const [failed] = await deploymentsOf(node, service);
  assert.equal(code, 1, stdout + stderr);
  assert.equal(failed?.status, 'Failed');
  assert.equal((await node.get(host)).text, 'the good one');
  const gone = await until('nothing of it is left', async () => {
    const [now] = await deploymentsOf(node, service);
    const left = await containersOf(node, { 'svc.deployment': failed.id });
    return now?.replicas.length === 0 && left.length === 0 && now;
  });
  const condition = gone.conditions.find(({ type }) => type === 'Ready');
  assert.deepEqual(
    [condition?.status, condition?.reason, condition?.message],
    ['False', failed.reason, failed.message],
  );
  return { said: stdout + stderr, failed };
}

/** What is in the condition is what the push prints. */
function assertTold(
  { said, failed }: { said: string; failed: DeploymentResource },
  reason: string,
  words: RegExp[],
): void {
  assert.equal(failed.reason, reason, failed.message);
  for (const expected of words) {
    assert.match(failed.message, expected);
    assert.match(said, expected);
  }
  assert.match(said, new RegExp(`\\(${reason}\\)`));
  assert.match(said, /What was deployed before goes on serving/);
}

describe('a deployment that does not become healthy', () => {
  it('because it exits: code and last 20 lines', async () => {
    const outcome = await refused(running('for i in $(seq 30); do echo line $i; done; exit 3'));
    assertTold(outcome, 'WorkloadExited', [/exited with code 3/, /\bline 11\n/, /\bline 30\b/]);
    assert.doesNotMatch(outcome.failed.message, /\bline 10\b/);
  });

  it('because it takes too much memory', async () => {
    assertTold(await refused(running('echo eating; tail /dev/zero')), 'OutOfMemory', [
      /memory limit/,
      /eating/,
    ]);
  });

  it('because its health path answers something else: status, body, output', async () => {
    const answer = 'printf "Status: 503 Out of order\\r\\n\\r\\nthe database is down"\n';
    await gated.write('www/cgi-bin/health', `#!/bin/sh\n${answer}`, 0o755);
    const outcome = await refused(serving('echo looking for the database'));
    await gated.write('www/cgi-bin/health', `#!/bin/sh\n${healthy}`, 0o755);
    assertTold(outcome, 'HealthCheckFailed', [
      /within 12s/,
      /503/,
      /the database is down/,
      /looking for the database/,
    ]);
  });

  it('because nothing listens', async () => {
    const outcome = await refused(running('echo I forgot to listen; exec sleep 1000'));
    assertTold(outcome, 'HealthCheckFailed', [/nothing (listens|answers) on/, /I forgot to listen/]);
  });

  it('because it listens and never answers', async () => {
    const outcome = await refused(running('echo mute; exec nc -ll -p $PORT -e sleep 1000'));
    assertTold(outcome, 'HealthCheckFailed', [/no answer/, /mute/]);
  });

  it('because there is no such command', async () => {
    assertTold(await refused('FROM busybox\nCMD ["/nowhere/to-be-found"]\n'), 'StartFailed', [
      /\/nowhere\/to-be-found/,
    ]);
  });

  it('because there is no such user', async () => {
    assertTold(await refused('FROM busybox\nUSER nobody-here\nCMD ["true"]\n'), 'StartFailed', [
      /nobody-here/,
    ]);
  });
});
