/** Data outlives what writes to it, two versions never write at once, and nobody notices a release, on a real engine. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page, ServiceResource, VolumeResource } from '../../specs/resources.ts';
import { app, type App } from '../support/apps.ts';
import { asking, Load } from '../support/load.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { callApi, containersOf, createService, deploymentsOf, fromApi } from '../support/node-api.ts';

const host = 'web.demo.localhost';
const dockerfile = 'FROM busybox\nCOPY . /app\nCMD ["sh", "/app/run"]\n';
/** Notes in the volume that it runs, and that another one did when it started. */
const run = `
[ -e /data/running ] && cat /data/running >> /data/overlaps
echo "$SVC_DEPLOYMENT" > /data/running
trap 'rm /data/running; exit 0' TERM
mkdir -p /www && cp -r /app/www/. /www && httpd -f -p $PORT -h /www &
wait
`;
const cgi = (script: string): string =>
  `#!/bin/sh\nprintf "Content-Type: text/plain\\r\\n\\r\\n"\n${script}\n`;

let node: TestNode;
let web: App;
let service: ServiceResource;

before(async () => {
  node = await startNode();
  service = await make();
  web = await app('demo/web', { Dockerfile: dockerfile, run, 'www/index.html': '1' });
  await web.write('www/cgi-bin/add', cgi('echo "$QUERY_STRING" >> /data/journal; echo added'), 0o755);
  await web.write('www/cgi-bin/read', cgi('cat "/data/$QUERY_STRING" 2>/dev/null'), 0o755);
  await push('1');
});

after(async () => {
  await node.stop();
  await web.remove();
});

function make(): Promise<ServiceResource> {
  return createService(node, {
    ...{ name: 'web', volumes: [{ name: 'data', mount: '/data' }] },
    ...{ health: { interval: '100ms', deadline: '10s' }, release: { drain: '5s' } },
  });
}

async function push(version: string): Promise<void> {
  await web.write('www/index.html', version);
  await must(node.svc(['push'], { cwd: web.dir }));
}

async function read(file: string): Promise<string> {
  const { status, text } = await node.get(host, `/cgi-bin/read?${file}`);
  assert.equal(status, 200, text);
  return text;
}

const volumes = async (): Promise<VolumeResource[]> =>
  (await fromApi<Page<VolumeResource>>(node, 'GET', '/v1/projects/demo/volumes')).items;

describe('a volume', () => {
  it('keeps its data over pushes, restarts, rollbacks, and when its service is deleted and made anew', async () => {
    await node.get(host, '/cgi-bin/add?first');
    await push('2');
    await must(node.svc(['restart', 'demo/web']));
    await must(node.svc(['rollback', 'demo/web']));
    assert.equal(await read('journal'), 'first\n');
    const [before] = await volumes();
    assert.equal(before?.name, 'web.data');

    await must(node.svc(['delete', 'service/web', '-p', 'demo', '--yes']));
    assert.deepEqual(
      (await volumes()).map(({ id }) => id),
      [before.id],
    );
    service = await make();
    await push('3');
    assert.equal(await read('journal'), 'first\n');
    assert.equal(await read('overlaps'), '', 'no two of them ran at once');
  });

  it('fails no request through five releases, and each receipt says how many waited', async () => {
    const load = new Load();
    load.start({ port: node.httpPort, host }, [
      ...Array.from({ length: 3 }, () => asking('get', '/', { every: 20 })),
      asking('add', '/cgi-bin/add?load', { every: 50 }),
    ]);
    for (const version of ['4', '5', '6', '7', '8']) await push(version);
    const receipts = await until(
      'all receipts are final',
      async () => {
        const found = (await deploymentsOf(node, service)).flatMap(({ receipt }) => receipt ?? []);
        return found.length === 5 && found.every((one) => one.finished_at !== null) && found;
      },
      60_000,
    );
    await load.stop();
    assert.deepEqual(load.failures, []);
    for (const { failed, aborted, parked, parked_longest_ms: longest, served_new: served } of receipts) {
      assert.deepEqual({ failed, aborted }, { failed: 0, aborted: 0 });
      assert.ok(parked > 0 && longest > 0 && served > 0, `${parked} waited, at most ${longest} ms`);
    }
    assert.equal(await read('overlaps'), '', 'no two of them ran at once');
    const added = (await read('journal')).split('\n').filter((line) => line === 'load').length;
    assert.equal(added, load.answers['add'], 'each was done once');
    const { parked_since: parked } = await fromApi<ServiceResource>(
      node,
      'GET',
      `/v1/services/${service.id}`,
    );
    assert.equal(parked, null);
  });

  it('goes back to what served before when a release fails, and nobody notices', async () => {
    const load = new Load();
    load.start({ port: node.httpPort, host }, [asking('get', '/', { every: 20 })]);
    const [served] = await containersOf(node, { 'svc.service': 'web' });
    await web.write('run', 'echo broken >> /data/journal; exit 3\n');
    const failed = await node.svc(['push'], { cwd: web.dir });
    assert.equal(failed.code, 1, failed.stdout);
    await until('it serves again', async () => (await node.get(host)).text === '8');
    await until('nothing waits', async () => {
      const now = await fromApi<ServiceResource>(node, 'GET', `/v1/services/${service.id}`);
      return now.parked_since === null;
    });
    await load.stop();
    assert.deepEqual(load.failures, []);
    const containers = await containersOf(node, { 'svc.service': 'web' });
    assert.deepEqual(
      containers.map(({ Id }) => Id),
      [served?.Id],
      'the same container',
    );
    assert.match(await read('journal'), /^first\n/);
    await web.write('run', run);
  });

  it('has one version at a time when a stopped service is rolled back, or pushed to', async () => {
    await push('7');
    await must(node.svc(['stop', 'web', '-p', 'demo']));
    await must(node.svc(['rollback', 'web', '-p', 'demo']));
    assert.notEqual((await node.get(host)).text, '7');
    await must(node.svc(['stop', 'web', '-p', 'demo']));
    await push('8');
    assert.equal((await node.get(host)).text, '8');
    assert.equal(await read('overlaps'), '');
  });

  it('is destroyed only when nothing runs with it and its name is typed', async () => {
    const [volume] = await volumes();
    const path = `/v1/projects/demo/volumes/${volume?.id ?? ''}`;
    assert.equal((await callApi(node, 'DELETE', `${path}?confirm=web.data`)).status, 409);
    await must(node.svc(['delete', 'service/web', '-p', 'demo', '--yes']));
    const refused = await node.svc(['projects', 'delete', 'demo', '--yes', '--cascade']);
    assert.equal(refused.code, 5);
    assert.match(refused.stderr, /web\.data[^]*svc volumes destroy web\.data -p demo/);
    assert.equal((await callApi(node, 'DELETE', path)).status, 422);
    assert.equal((await node.svc(['volumes', 'destroy', 'web.data', '-p', 'demo'])).code, 2);
    await must(node.svc(['volumes', 'destroy', 'web.data', '-p', 'demo', '--confirm', 'web.data']));
    await until('it is gone', async () => (await volumes()).length === 0);
    service = await make();
    await push('9');
    assert.equal(await read('journal'), '');
  });
});
