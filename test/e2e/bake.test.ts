/** A deployment that proves bad after its promotion is taken back by itself, at once, on a real engine. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bounds } from '../../controllers/deployment/bake.ts';
import type { ServiceResource } from '../../specs/resources.ts';
import { app, serving, type App } from '../support/apps.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { containersOf, createService, deploymentsOf, fromApi } from '../support/node-api.ts';

const host = 'web.demo.localhost';
let node: TestNode;
let web: App;
let service: ServiceResource;

const push = async (): Promise<string> => (await must(node.svc(['push'], { cwd: web.dir }))).stdout;
const now = (): Promise<ServiceResource> => fromApi(node, 'GET', `/v1/services/${service.id}`);
const container = async (deployment: string) =>
  (await containersOf(node, { 'svc.deployment': deployment })).map(({ Id }) => Id);

before(async () => {
  node = await startNode();
  service = await createService(node, {
    name: 'web',
    release: { auto_rollback: true, bake: '40s', drain: '1s' },
  });
  web = await app('demo/web', { Dockerfile: serving, 'www/index.html': 'first' });
  await push();
});

after(async () => {
  await node.stop();
  await web.remove();
});

describe('a deployment that took over from another one', () => {
  it('goes when it answers badly, with the figures, and what was before serves again', async () => {
    await web.write('www/index.html', 'second');
    await web.write('www/cgi-bin/bad', "#!/bin/sh\nprintf 'Status: 500 Bad\\r\\n\\r\\nbad'\n", 0o755);
    assert.match(
      await push(),
      /Healthy: .* \(.*, 0 failed of [\d,]+ requests?, watched for another \d+s\)\n$/,
    );
    const [second, first] = await deploymentsOf(node, service);
    assert.ok(first && second);
    assert.deepEqual([first.status, first.reason, first.replicas.length], ['Inactive', 'StandingBy', 1]);
    const warm = await container(first.id);
    // It may be taken back before all of them are through, but for fewer than these it would not be.
    let bad = 0;
    while (bad < 30 && (await node.get(host, '/cgi-bin/bad')).status === 500) bad += 1;
    assert.ok(bad >= bounds.requests, String(bad));
    const failed = await until('it is taken back', async () => {
      const [newest] = await deploymentsOf(node, service);
      return newest?.status === 'Failed' && newest;
    });
    assert.equal(failed.reason, 'RolledBack');
    assert.match(
      failed.message,
      /^Taken back; .* [23]\d of \d+ requests \(\d+(\.\d)? %\) failed or were answered/,
    );
    let late = 0;
    await until('the one before serves', async () => {
      const { text } = await node.get(host);
      if (text === 'second') late += 1;
      return text === 'first';
    });
    await until('it alone has replicas', async () => (await container(second.id)).length === 0);
    assert.deepEqual(await container(first.id), warm, 'the same container, which never stopped');
    const { promoted_deployment_id: promoted, previous_deployment_id: previous, bake } = await now();
    assert.deepEqual([promoted, previous, bake], [first.id, null, null]);
    const receipt = await until('its receipt is final', async () => {
      const [newest] = await deploymentsOf(node, service);
      return typeof newest?.receipt?.finished_at === 'string' && newest.receipt;
    });
    assert.deepEqual(
      [receipt.served_new, receipt.failed],
      [bad + late, 0],
      'also those that it answered while it was taken back',
    );
    assert.equal((await deploymentsOf(node, service))[1]?.status, 'Healthy');
  });

  it('goes when it crashes again and again', async () => {
    await web.write('www/index.html', 'third');
    await web.write(
      'Dockerfile',
      `FROM busybox\nCOPY www /www\nCMD ["sh", "-c", "timeout 4 httpd -f -p $PORT -h /www"]\n`,
    );
    await push();
    await until(
      'it is taken back',
      async () => (await deploymentsOf(node, service))[0]?.reason === 'RolledBack',
    );
    await until('the one before serves', async () => (await node.get(host)).text === 'first');
    await web.write('Dockerfile', serving);
  });

  it('is gone back to at once by hand, and what stood by is what serves', async () => {
    await web.write('www/index.html', 'fourth');
    await push();
    const [fourth, , , first] = await deploymentsOf(node, service);
    assert.ok(first && fourth);
    const warm = await container(first.id);
    await must(node.svc(['rollback', 'demo/web']));
    assert.equal((await node.get(host)).text, 'first');
    assert.deepEqual(await container(first.id), warm);
    await until('the other one has gone', async () => (await container(fourth.id)).length === 0);
    const { bake, promoted_deployment_id: promoted, previous_deployment_id: previous } = await now();
    assert.deepEqual([bake, promoted, previous], [null, first.id, fourth.id]);
  });

  it('is watched over a kill of the control plane, and stays when it was good', async () => {
    await web.write('www/index.html', 'fifth');
    await push();
    await node.kill('SIGKILL');
    assert.equal((await node.get(host)).text, 'fifth');
    await node.start();
    const { bake } = await now();
    const [fifth, , , , first] = await deploymentsOf(node, service);
    assert.ok(first && fifth);
    assert.equal(bake?.deployment_id, fifth.id);
    assert.equal((await container(first.id)).length, 1, 'it stands by still');
    await until('it is watched no longer', async () => (await now()).bake === null, 120_000);
    await until('what stood by is gone', async () => (await container(first.id)).length === 0);
    const done = await until('the receipt is final', async () => {
      const [newest] = await deploymentsOf(node, service);
      return typeof newest?.receipt?.finished_at === 'string' && newest;
    });
    assert.deepEqual([done.status, done.receipt?.failed, done.receipt?.aborted], ['Healthy', 0, 0]);
    assert.equal((await deploymentsOf(node, service))[4]?.reason, 'Replaced');
  });
});
