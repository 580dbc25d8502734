/** What of the host a workload gets when it asks: what its project is allowed, as it is allowed, and nothing beside it. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { VolumeMount } from '../../specs/workload.ts';
import { app, type App } from '../support/apps.ts';
import { must, startNode, type TestNode } from '../support/node.ts';
import { callApi, containersOf, createService, type Inspected } from '../support/node-api.ts';

const host = 'web.demo.localhost';
const dockerfile = [
  'FROM busybox',
  'COPY www /www',
  'CMD ["sh", "-c", "exec httpd -f -p $PORT -h /www"]',
  '',
].join('\n');
const script = `#!/bin/sh
printf 'Content-Type: text/plain\\r\\n\\r\\n'
cat /media/note
echo written > /media/answer && echo 'media: written'
cat /reference/note
echo written > /reference/answer || echo 'reference: refused'
mount -o remount,rw,bind /reference || echo 'remount: refused'
echo written > /data/answer && echo 'data: written'
`;
const volumes: VolumeMount[] = [
  { name: 'data', mount: '/data' },
  { host: 'media', mount: '/media' },
  { host: 'reference', mount: '/reference' },
];

let directory: string;
let node: TestNode;
let web: App;
let container: Inspected;

before(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'svc-mounts-')));
  for (const name of ['media', 'reference', 'private']) {
    await mkdir(join(directory, name));
    await writeFile(join(directory, name, 'note'), `in ${name}\n`);
  }
  const allowed = [
    `demo/media=${join(directory, 'media')}`,
    `demo/reference=${join(directory, 'reference')}:ro`,
    `other/private=${join(directory, 'private')}`,
  ];
  node = await startNode(['--host-paths', allowed.join(',')]);
  await createService(node, { name: 'web', volumes });
  web = await app('demo/web', { Dockerfile: dockerfile, 'www/index.html': 'here' });
  await web.write('www/cgi-bin/try', script, 0o755);
  await must(node.svc(['push'], { cwd: web.dir }));
  const [found] = await containersOf(node, { 'svc.service': 'web' });
  assert.ok(found);
  container = found;
});

after(async () => {
  await node.stop();
  await web.remove();
  await rm(directory, { recursive: true, force: true });
});

describe('a workload with mounts', () => {
  it('has exactly those, each as it is allowed', () => {
    const mounts = container.Mounts.map(({ Type, Source, Destination, RW }) => ({
      ...{ Type, Destination, RW },
      // Where an engine keeps its volumes is its own affair.
      Source: Type === 'volume' ? '' : Source,
    }));
    assert.deepEqual(
      mounts.sort((a, b) => a.Destination.localeCompare(b.Destination)),
      [
        { Type: 'volume', Destination: '/data', RW: true, Source: '' },
        { Type: 'bind', Destination: '/media', RW: true, Source: join(directory, 'media') },
        { Type: 'bind', Destination: '/reference', RW: false, Source: join(directory, 'reference') },
      ],
    );
  });

  it('has no more rights than one without', () => {
    const { HostConfig } = container;
    assert.equal(HostConfig['Privileged'], false);
    assert.deepEqual(HostConfig['CapDrop'], ['ALL']);
    assert.deepEqual(HostConfig['SecurityOpt'], ['no-new-privileges']);
    assert.deepEqual(HostConfig['Devices'] ?? [], []);
    assert.notEqual(HostConfig['NetworkMode'], 'host');
    assert.deepEqual(Object.keys(container.NetworkSettings.Networks), [HostConfig['NetworkMode']]);
  });

  it('reads and writes what it may, from inside', async () => {
    const { status, text } = await node.get(host, '/cgi-bin/try');
    assert.equal(status, 200, text);
    assert.deepEqual(text.trim().split('\n'), [
      ...['in media', 'media: written', 'in reference', 'reference: refused', 'remount: refused'],
      'data: written',
    ]);
    assert.equal(await readFile(join(directory, 'media', 'answer'), 'utf8'), 'written\n');
    await assert.rejects(readFile(join(directory, 'reference', 'answer')), { code: 'ENOENT' });
  });
});

describe('what is not allowed', () => {
  const refused = async (mount: VolumeMount): Promise<string> => {
    const body = { project: 'demo', name: 'greedy', port: 8080, volumes: [mount] };
    const { status, text } = await callApi(node, 'POST', '/v1/services', body);
    assert.equal(status, 422, text);
    return text;
  };

  it("is another project's host path, whatever its name", async () => {
    const said = await refused({ host: 'private', mount: '/private' });
    assert.match(said, /"\/volumes\/0\/host".*project demo may mount media, reference\..*SERVICE_HOST_PATHS/);
    assert.doesNotMatch(said, new RegExp(directory), "where they are is nobody's business");
  });

  it('is a path of the host instead of a name', async () => {
    for (const path of ['/', '/var/run/docker.sock', '/etc', '../media'])
      await refused({ host: path, mount: '/it' });
  });

  it('is anything else of the host: there is no field for it', async () => {
    const more = [
      { privileged: true },
      { network: 'host' },
      { devices: ['/dev/sda'] },
      { binds: ['/:/host'] },
    ];
    for (const fields of more) {
      const body = { project: 'demo', name: 'greedy', port: 8080, ...fields };
      assert.equal((await callApi(node, 'POST', '/v1/services', body)).status, 422, JSON.stringify(fields));
    }
  });
});
