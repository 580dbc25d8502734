/** What workloads print, on a real engine: kept beyond their containers, told apart by run, in one order, and bounded. */
import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { WorkloadLogLine } from '../../specs/log-entry.ts';
import type { ServiceResource } from '../../specs/resources.ts';
import { app, serving, type App } from '../support/apps.ts';
import { ask } from '../support/http-answer.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { containersOf, createService, deploymentsOf, tokenOf } from '../support/node-api.ts';

const talking = (command: string) =>
  `FROM busybox\nCOPY www /www\nCMD ${JSON.stringify(['sh', '-c', `${command} & exec httpd -f -p $PORT -h /www`])}\n`;
const ticking = talking('i=0; while :; do echo "tick $i"; i=$((i+1)); sleep 0.1; done');
const crash = '#!/bin/sh\necho "last words" >/proc/1/fd/1\nkillall -9 httpd\n';

let node: TestNode;
let service: ServiceResource;
let talk: App;

before(async () => {
  node = await startNode();
  service = await createService(node, { name: 'talk', replicas: 2, resources: { memory: '32Mi' } });
  talk = await app('demo/talk', { Dockerfile: ticking, 'www/index.html': 'fine' });
  await talk.write('www/cgi-bin/crash', crash, 0o755);
  await must(node.svc(['push'], { cwd: talk.dir }));
});

after(async () => {
  await node.stop();
  await talk.remove();
});

const logs = async (...flags: string[]): Promise<string[]> => {
  const { stdout } = await must(node.svc(['logs', 'demo/talk', ...flags]));
  return stdout.split('\n').slice(0, -1);
};

/** Bytes of all files below a directory. */
async function sizeOf(dir: string): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(({ parentPath, name }) => stat(join(parentPath, name)).then(({ size }) => size)),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

describe('the output of workloads', () => {
  it('of several replicas comes in the order in which it was printed', async () => {
    await until('both have printed for a while', async () => (await logs()).length >= 60);
    const answer = await fetch(`${node.apiUrl}/v1/services/${service.id}/logs`, {
      headers: { authorization: `Bearer ${await tokenOf(node)}`, accept: 'application/x-ndjson' },
    });
    const lines = (await answer.text())
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as WorkloadLogLine);
    assert.equal(new Set(lines.map(({ replica }) => replica)).size, 2);
    const times = lines.map(({ at }) => at);
    assert.deepEqual(times, times.toSorted());
    const changes = lines.filter(({ replica }, index) => replica !== lines[index - 1]?.replica);
    assert.ok(changes.length > 20, 'they are not one after the other');
  });

  it('is told apart by replica, on request only that of one', async () => {
    const [short = ''] = /^\w{6}(?= \| tick \d+$)/.exec((await logs('--tail', '1'))[0] ?? '') ?? [];
    assert.notEqual(short, '');
    const own = await logs('--replica', short, '--tail', '5');
    assert.ok(own.length === 5 && own.every((line) => /^tick \d+$/.test(line)), own.join('\n'));
    const { code, stderr } = await node.svc(['logs', 'demo/talk', '--replica', 'nosuch']);
    assert.equal(code, 5);
    assert.match(stderr, /is no replica of this service/);
  });

  it('of the run before a crash is what --previous prints', async () => {
    const none = await node.svc(['logs', 'demo/talk', '--previous']);
    assert.deepEqual([none.code, none.stdout], [4, '']);
    assert.match(none.stderr, /no replica has been started again/);
    // Not a GET: the ingress would ask the other replica after the first one died of it.
    const headers = { host: 'talk.demo.localhost', 'content-length': '0' };
    await ask({ host: '127.0.0.1', port: node.httpPort, method: 'POST', path: '/cgi-bin/crash', headers });
    const before = await until('it was started again', async () => {
      const { code, stdout } = await node.svc(['logs', 'demo/talk', '--previous']);
      return code === 0 && stdout.split('\n').slice(0, -1);
    });
    assert.equal(before.filter((line) => line.endsWith('last words')).length, 1);
    assert.ok(before.some((line) => line.endsWith('tick 0')));
    assert.equal(new Set(before.map((line) => line.split(' ')[0])).size, 1, 'only of the one that died');
    const [crashed = ''] = before[0]?.split(' ') ?? [];
    const all = await until('it prints again', async () => {
      const lines = await logs('--replica', crashed);
      return lines.filter((line) => line === 'tick 0').length === 2 && lines;
    });
    assert.ok(all.indexOf('last words') < all.lastIndexOf('tick 0'));
  });

  it('outlives its containers, and can be read by deployment', async () => {
    await talk.write('Dockerfile', talking('echo "the second one"'));
    await must(node.svc(['push'], { cwd: talk.dir }));
    const [second, first] = await deploymentsOf(node, service);
    await until('nothing is left of the first', async () => {
      return (await containersOf(node, { 'svc.deployment': first?.id ?? '' })).length === 0;
    });
    const earlier = await logs('--deployment', '1');
    assert.ok(earlier.some((line) => line.endsWith('last words')));
    assert.ok(earlier.every((line) => !line.endsWith('the second one')));
    const now = await until('both have spoken', async () => {
      const lines = await logs('--deployment', second?.id ?? '');
      return lines.length === 2 && lines;
    });
    assert.ok(
      now.every((line) => line.endsWith(' | the second one')),
      now.join('\n'),
    );
  });

  it('that floods is dropped with a word about it, fills no disk and keeps nobody else from serving', async () => {
    await createService(node, { name: 'quiet', resources: { memory: '32Mi' } });
    const calm = await app('demo/quiet', { Dockerfile: serving, 'www/index.html': 'calm' });
    await must(node.svc(['push'], { cwd: calm.dir }));
    await talk.write('Dockerfile', talking('yes $(head -c 2000 /dev/zero | tr "\\0" x)'));
    await must(node.svc(['push'], { cwd: talk.dir }));
    const dropped = await until('lines were dropped', async () => {
      assert.equal((await node.get('quiet.demo.localhost')).text, 'calm');
      return (await logs('--tail', '3000')).find((line) => line.includes(' dropped: '));
    });
    assert.match(
      dropped,
      / \| … at least \d+ lines dropped: the workload prints faster than its log is kept$/,
    );
    assert.equal((await node.get('quiet.demo.localhost')).text, 'calm');
    assert.ok((await sizeOf(join(node.dataDir, 'logs/workloads', service.id))) < 140 * 2 ** 20);
    await calm.remove();
  });
});
