/** Garbage collection on a real engine: what is kept works, what nobody needs goes, and what is others' stays. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { pack } from 'tar-stream';
import type { Event } from '../../specs/event.ts';
import type { JobResource, RunResource } from '../../specs/job-resources.ts';
import type { GarbageReport } from '../../specs/gc.ts';
import type { DeploymentResource, NodeResource, Page } from '../../specs/resources.ts';
import { app, serving, type App } from '../support/apps.ts';
import { publish } from '../support/publishing.ts';
import { startRegistry } from '../support/registry.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { callApi, createService, fromApi } from '../support/node-api.ts';

const exec = promisify(execFile);
const MiB = 2 ** 20;

let node: TestNode;
let docker: Docker;
let web: App;
const undo: (() => Promise<unknown>)[] = [];

before(async () => {
  node = await startNode();
  docker = new Docker({ socketPath: node.engine.replace('unix://', ''), host: undefined });
  web = await app('demo/web', { Dockerfile: serving });
});

after(async () => {
  for (const each of undo.reverse()) await each();
  await web.remove();
  await node.stop();
});

async function collect(of: TestNode, ...flags: string[]): Promise<GarbageReport> {
  const { stdout } = await must(of.svc(['gc', '-o', 'json', ...flags]));
  return JSON.parse(stdout) as GarbageReport;
}

const named = ({ items }: GarbageReport, action: 'remove' | 'report') =>
  items.filter((item) => item.action === action).map(({ kind, name }) => `${kind} ${name}`);

/** Tags at the engine of a service's images. */
async function tagsOf(serviceId: string): Promise<string[]> {
  const images = await docker.listImages();
  const tags = images.flatMap(({ RepoTags }) => RepoTags ?? []);
  return tags.filter((tag) => tag.startsWith(`svc/${serviceId.replace('_', '-')}:`));
}

async function label(): Promise<string> {
  const containers = await docker.listContainers({ all: true, filters: { label: ['svc.node'] } });
  const { items } = await fromApi<Page<DeploymentResource>>(node, 'GET', '/v1/deployments');
  const ours = containers.find(({ Labels }) => items.some(({ id }) => id === Labels['svc.deployment']));
  return ours?.Labels['svc.node'] ?? '';
}

describe('a service that was pushed eight times and keeps two', () => {
  it('has only the images that it may go back to, and goes back to each', async () => {
    const service = await createService(node, { name: 'web', release: { keep: 2, drain: '1s' } });
    for (let push = 1; push <= 8; push++) {
      await web.write('www/index.html', `version ${push}\n`);
      await must(node.svc(['push'], { cwd: web.dir }));
    }
    // The one that serves, the one before it, and two more.
    const tags = await until('images beyond what is kept are gone', async () => {
      const left = await tagsOf(service.id);
      return left.length <= 4 && left;
    });
    const path = `/v1/deployments?service_id=${service.id}`;
    const { items } = await fromApi<Page<DeploymentResource>>(node, 'GET', path);
    await collect(node);
    assert.deepEqual((await tagsOf(service.id)).toSorted(), tags.toSorted(), 'what is kept is no garbage');
    const kept = items.filter(({ id }) => tags.some((tag) => tag.endsWith(id.replace('_', '-'))));
    assert.deepEqual(
      kept.map(({ number }) => number),
      [8, 7, 6, 5],
    );
    for (const { id, number } of kept.toReversed()) {
      if (number === 8) continue;
      await must(node.svc(['rollback', 'demo/web', '--to', id]));
      const answer = await node.get('web.demo.localhost');
      assert.equal(answer.text, `version ${number}\n`);
    }
  });
});

describe('svc gc', () => {
  it('takes what is of this node and of no row, says so before, and leaves the rest', async () => {
    const ours = { 'svc.node': await label() };
    assert.notEqual(ours['svc.node'], '');
    const theirs = { 'svc.node': 'node_of_somebody_else' };
    const made = await litter(ours, theirs);

    const planned = await collect(node, '--dry-run');
    assert.deepEqual(named(planned, 'remove').filter(made.isMine).toSorted(), made.garbage.toSorted());
    assert.ok(planned.bytes_would_free >= MiB, String(planned.bytes_would_free));
    assert.equal(planned.bytes_freed, 0);
    assert.deepEqual(named(planned, 'report').filter(made.isMine), [made.orphan]);
    assert.deepEqual((await made.left()).toSorted(), made.all.toSorted(), 'a dry run takes nothing');

    const done = await collect(node);
    assert.deepEqual(named(done, 'remove'), named(planned, 'remove'));
    assert.ok(done.items.every(({ action, removed }) => removed === (action === 'remove')));
    assert.equal(done.bytes_freed, planned.bytes_would_free);
    const spared = made.all.filter((name) => !made.garbage.includes(name));
    assert.deepEqual((await made.left()).toSorted(), spared.toSorted());
    assert.deepEqual(named(await collect(node, '--dry-run'), 'remove'), []);
  });

  it('takes tags that the node put on images that it had pulled, and no other ones', async () => {
    const [own, other] = [
      'svc/job-01q3dcbd0000000000000000a1:last',
      'svc/job-01q3dcbd0000000000000000b2:last',
    ];
    await importImage('gc-pulled:1', {});
    for (const name of [own, other]) {
      const [repo = '', tag = ''] = name.split(':');
      await docker.getImage('gc-pulled:1').tag({ repo, tag });
      undo.push(() =>
        docker
          .getImage(name)
          .remove()
          .catch(() => undefined),
      );
    }
    await docker.getImage('gc-pulled:1').remove();
    await writeFile(join(node.dataDir, 'tags', encodeURIComponent(own)), '');
    const there = async (name: string) =>
      (await docker.listImages()).some((image) => image.RepoTags?.includes(name));
    const { items } = await collect(node);
    assert.ok(items.some(({ name, removed, reason }) => name === own && removed && reason !== ''));
    assert.deepEqual([await there(own), await there(other)], [false, true]);
  });

  it('is for super-admins', async () => {
    const answer = await callApi(node, 'POST', '/v1/gc', { dry_run: true }, 'nobody');
    assert.equal(answer.status, 401);
  });
});

/** Things at the engine: this node's, another's, and somebody's. */
async function litter(ours: Record<string, string>, theirs: Record<string, string>) {
  const mark = `gc${process.pid}`;
  const owners = { ours, theirs, nobodys: {} };
  const all: string[] = [];
  for (const [owner, labels] of Object.entries(owners)) {
    const name = `svc-${mark}-${owner}`;
    const network = await docker.createNetwork({ Name: name, Labels: labels });
    await docker.createVolume({ Name: name, Labels: labels });
    const tag = `svc/${mark}:${owner}`;
    await importImage(tag, labels);
    undo.push(
      () => network.remove().catch(() => undefined),
      () =>
        docker
          .getVolume(name)
          .remove()
          .catch(() => undefined),
      () =>
        docker
          .getImage(tag)
          .remove()
          .catch(() => undefined),
    );
    all.push(`network ${name}`, `volume ${name}`, `image ${tag}`);
  }
  return {
    all,
    garbage: [`network svc-${mark}-ours`, `image svc/${mark}:ours`],
    orphan: `volume svc-${mark}-ours`,
    isMine: (name: string) => name.includes(mark),
    async left() {
      const [networks, { Volumes }, images] = await Promise.all([
        docker.listNetworks(),
        docker.listVolumes(),
        docker.listImages(),
      ]);
      const names = [
        ...networks.map(({ Name }) => `network ${Name}`),
        ...Volumes.map(({ Name }) => `volume ${Name}`),
        ...images.flatMap(({ RepoTags }) => (RepoTags ?? []).map((tag) => `image ${tag}`)),
      ];
      return names.filter((name) => name.includes(mark));
    },
  };
}

/** An image of 2 MiB that no other shares anything with. */
async function importImage(tag: string, labels: Record<string, string>): Promise<void> {
  const tar = pack();
  tar.entry({ name: 'noise' }, randomBytes(2 * MiB));
  tar.finalize();
  const [repo = '', version = ''] = tag.split(':');
  const changes = Object.entries(labels).map(([key, value]) => `LABEL ${key}=${value}`);
  const reply = await docker.importImage(Readable.from(tar), { repo, tag: version, changes });
  await pipeline(reply, new PassThrough().resume());
}

/** The node's data on a file system of 64 MiB, laid over the directory that they were in. */
async function moveToSmallDisk(full: TestNode): Promise<void> {
  await full.kill('SIGTERM');
  const copy = await mkdtemp(join(tmpdir(), 'svc-small-'));
  await exec('cp', ['-a', `${full.dataDir}/.`, copy]);
  await exec('mount', ['-t', 'tmpfs', '-o', 'size=64m,mode=0700', 'tmpfs', full.dataDir]);
  undo.push(async () => {
    await full.kill('SIGTERM');
    await exec('umount', [full.dataDir]);
  });
  await exec('cp', ['-a', `${copy}/.`, full.dataDir]);
  await rm(copy, { recursive: true });
  await full.start();
}

describe('a node whose disk is nearly full', () => {
  it('refuses a push with what is free and what would be freed, and goes on answering', async () => {
    const full = await startNode(['--disk-floor', '32Mi']);
    undo.push(() => full.stop());
    const registry = await startRegistry();
    undo.push(async () => {
      await registry.forget(full.engine);
      await registry.stop();
    });
    await publish(full.engine, registry, 'app:1', 'pulled');
    await moveToSmallDisk(full);
    const service = await createService(full, { name: 'web' });
    const ballast = join(full.dataDir, 'ballast');
    await writeFile(ballast, Buffer.alloc(38 * MiB));
    await until('an event says so', async () => {
      const { items } = await fromApi<Page<Event>>(full, 'GET', '/v1/events?kind=Node');
      return items.some(({ reason, message }) => reason === 'DiskLow' && message.includes('pulls of jobs'));
    });
    // In turn after the pass that this has woken; the next one comes in a minute.
    assert.deepEqual(named(await collect(full, '--dry-run'), 'remove'), []);
    // The log of a deployment that is gone takes the place of a part of the ballast.
    const id = 'dep_01q3dcbd000000000000000000';
    const log = join(full.dataDir, `logs/deployments/${id}.ndjson`);
    await writeFile(log, Buffer.alloc(12 * MiB));
    await utimes(log, 0, 0);
    await truncate(ballast, 26 * MiB);
    const planned = await collect(full, '--dry-run');
    assert.deepEqual(
      [named(planned, 'remove'), planned.bytes_would_free],
      [[`deployment-log ${id}`], 12 * MiB],
    );

    const pushed = await full.svc(['push'], { cwd: web.dir });
    assert.notEqual(pushed.code, 0);
    assert.match(
      pushed.stderr,
      /too full to take anything new: .+ MiB are free, the floor is 32\.0 MiB\. svc gc would free up to 12\.0 MiB\./,
    );
    const deployed = await callApi(full, 'POST', '/v1/deployments', {
      service_id: service.id,
      image: 'busybox',
    });
    assert.equal(deployed.status, 503);
    const { disks } = await fromApi<NodeResource>(full, 'GET', '/v1/node');
    const data = disks.find(({ holds }) => holds.includes('data'));
    assert.ok(data && data.free_bytes < data.floor_bytes);
    assert.match((await must(full.svc(['node', 'status']))).stdout, /below its floor of 32\.0 MiB/);
    // The store takes writes all the same.
    await must(full.svc(['projects', 'create', 'another']));

    // A job's pull as well; what the engine has needs none.
    const job = await fromApi<JobResource>(full, 'POST', '/v1/jobs', {
      ...{ project: 'demo', name: 'pulls', image: `${registry.server}/app:1`, command: ['true'] },
    });
    const run = await fromApi<RunResource>(full, 'POST', `/v1/jobs/${job.id}/runs`, {});
    const refused = await until('the run is refused', async () => {
      const found = await fromApi<RunResource>(full, 'GET', `/v1/runs/${run.id}`);
      return found.status === 'Failed' && found;
    });
    assert.match(refused.message, /too full to take anything new: .+ svc gc would free up to 12\.0 MiB\./);

    assert.equal((await collect(full)).bytes_freed, planned.bytes_would_free);
    const again = await fromApi<RunResource>(full, 'POST', `/v1/jobs/${job.id}/runs`, {});
    await until('it runs', async () => {
      return (await fromApi<RunResource>(full, 'GET', `/v1/runs/${again.id}`)).status === 'Succeeded';
    });
    await must(full.svc(['push'], { cwd: web.dir }));
    assert.equal((await full.get('web.demo.localhost')).text, 'version 8\n');
  });
});
