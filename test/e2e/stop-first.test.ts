/** A stop-first release that proves bad after its promotion is taken back, while requests wait, on a real engine. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Event } from '../../specs/event.ts';
import type { DeploymentResource, Page, ServiceResource } from '../../specs/resources.ts';
import { app, type App } from '../support/apps.ts';
import { asking, Load } from '../support/load.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { containersOf, createService, deploymentsOf, fromApi } from '../support/node-api.ts';

const host = 'web.demo.localhost';
const dockerfile = 'FROM busybox\nCOPY . /app\nCMD ["sh", "/app/run"]\n';
/** Notes in the volume that it runs, and that another one did when it started; `limit` is how it is ended, if at all. */
const run = (limit: string): string => `
[ -e /data/running ] && cat /data/running >> /data/overlaps
echo "$SVC_DEPLOYMENT" > /data/running
trap 'rm /data/running; exit 0' TERM
mkdir -p /www && cp -r /app/www/. /www && ${limit} httpd -f -p $PORT -h /www &
wait
rm /data/running
exit 1
`;
const cgi = (script: string): string => `#!/bin/sh\n${script}\n`;
const good = cgi('printf "Content-Type: text/plain\\r\\n\\r\\nwell"');
const bad = cgi('printf "Status: 500 Bad\\r\\nContent-Type: text/plain\\r\\n\\r\\nbad"');
const overlaps = cgi('printf "Content-Type: text/plain\\r\\n\\r\\n"\ncat /data/overlaps 2>/dev/null');

let node: TestNode;
let web: App;
let service: ServiceResource;

const now = (): Promise<ServiceResource> => fromApi(node, 'GET', `/v1/services/${service.id}`);
const newest = async (): Promise<DeploymentResource> => {
  const [deployment] = await deploymentsOf(node, service);
  assert.ok(deployment);
  return deployment;
};
const containers = async (): Promise<string[]> =>
  (await containersOf(node, { 'svc.service': 'web' })).map(({ Id }) => Id);

async function push(version: string, answer: string, limit = ''): Promise<string> {
  await web.write('www/index.html', version);
  await web.write('www/cgi-bin/answer', answer, 0o755);
  await web.write('run', run(limit));
  return (await must(node.svc(['push'], { cwd: web.dir }))).stdout;
}

/** Until the newest was taken back, the one before serves, nothing waits, and the receipt is final. */
async function takenBack(): Promise<DeploymentResource> {
  const failed = await until(
    'it is taken back',
    async () => {
      const found = await newest();
      return found.reason === 'RolledBack' && found.receipt?.finished_at !== null && found;
    },
    60_000,
  );
  const { bake, parked_since: parked } = await now();
  assert.deepEqual([bake, parked], [null, null]);
  return failed;
}

before(async () => {
  node = await startNode();
  service = await createService(node, {
    ...{ name: 'web', volumes: [{ name: 'data', mount: '/data' }] },
    health: { interval: '100ms', deadline: '20s' },
    release: { auto_rollback: true, bake: '40s', drain: '5s' },
  });
  web = await app('demo/web', { Dockerfile: dockerfile });
  await web.write('www/cgi-bin/overlaps', overlaps, 0o755);
  await push('first', good);
});

after(async () => {
  await node.stop();
  await web.remove();
});

describe('a stop-first release that is watched', () => {
  it('is taken back when it answers badly, and nobody has another bad answer than its own', async () => {
    const [first] = await containers();
    const load = new Load();
    load.start({ port: node.httpPort, host }, [
      ...Array.from({ length: 2 }, () => asking('page', '/', { every: 40 })),
      ...Array.from({ length: 2 }, () => asking('answer', '/cgi-bin/answer', { every: 40 })),
    ]);
    assert.match(await push('second', bad), /Healthy: .* watched for another \d+s\)\n$/);
    const failed = await takenBack();
    await until('the one before serves', async () => (await node.get(host)).text === 'first');
    await load.stop();

    assert.match(
      failed.message,
      /^Taken back; the deployment before it is started again\. \d+ of \d+ requests/,
    );
    const foreign = load.failures.filter((failure) => !failure.startsWith('answer: 500 bad'));
    assert.deepEqual(foreign, []);
    assert.ok(load.failures.some((failure) => failure.startsWith('answer: 500 bad')));
    assert.deepEqual(await containers(), [first], 'the same container, started again');
    const { failed: lost, aborted, parked, parked_longest_ms: longest } = failed.receipt ?? {};
    assert.deepEqual([lost, aborted], [0, 0]);
    assert.ok((parked ?? 0) > 0 && (longest ?? 0) > 0, JSON.stringify(failed.receipt));
    const [, before] = await deploymentsOf(node, service);
    assert.equal(before?.status, 'Healthy');
    const { items } = await fromApi<Page<Event>>(node, 'GET', `/v1/events?kind=Deployment&id=${before.id}`);
    assert.ok(items.some(({ message }) => message.includes('the deployment after it was taken back')));
    assert.equal((await node.get(host, '/cgi-bin/overlaps')).text, '', 'no two of them ran at once');
  });

  it('is taken back when it crashes again and again, and requests wait while it is down', async () => {
    const load = new Load();
    load.start({ port: node.httpPort, host }, [asking('page', '/', { every: 100 })]);
    await push('third', good, 'timeout 4');
    const failed = await takenBack();
    await until('the one before serves', async () => (await node.get(host)).text === 'first');
    await load.stop();
    assert.match(failed.message, /is started again\. (It crashed 2 times|None of its replicas)/);
    // What was under way when the workload died is the workload's own; nobody was told that there is none.
    assert.deepEqual(
      load.failures.filter((failure) => !failure.startsWith('page: 502')),
      [],
    );
    assert.ok(load.failures.length <= 2, load.failures.join('\n'));
  });

  it('stays when it was good, over a kill of the control plane, and what was kept for it goes', async () => {
    await push('fourth', good);
    await node.kill('SIGKILL');
    await node.start();
    const { bake } = await now();
    assert.equal(bake?.deployment_id, (await newest()).id);
    assert.equal((await containers()).length, 2, 'that of the one before is kept');
    await until('it is watched no longer', async () => (await now()).bake === null, 90_000);
    await until('what was kept is gone', async () => (await containers()).length === 1);
    assert.equal((await node.get(host)).text, 'fourth');
  });

  it('is gone back from by hand', async () => {
    await push('fifth', good);
    const load = new Load();
    load.start({ port: node.httpPort, host }, [asking('page', '/', { every: 40 })]);
    await must(node.svc(['rollback', 'demo/web']));
    assert.equal((await node.get(host)).text, 'fourth');
    await load.stop();
    assert.deepEqual(load.failures, []);
    await until('the other one has gone', async () => (await containers()).length === 1);
    assert.equal((await now()).bake, null);
    assert.equal((await node.get(host, '/cgi-bin/overlaps')).text, '', 'no two of them ran at once');
  });
});
