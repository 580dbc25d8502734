/** Deletion on a real engine: what is under way ends well, the name is free at once, and nothing is left. */
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { runDirOf } from '../../cli/daemon/directories.ts';
import type { ProjectResource, ServiceResource } from '../../specs/resources.ts';
import { app, serving, type App } from '../support/apps.ts';
import { startTestEngine, type TestEngine } from '../support/engine.ts';
import { startEngineProxy, type EngineProxy } from '../support/engine-proxy.ts';
import { engineCall } from '../support/http-answer.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { callApi, containersOf, createService, deploymentsOf, fromApi } from '../support/node-api.ts';

const slowly = '#!/bin/sh\nprintf "Content-Type: text/plain\\r\\n\\r\\n"; sleep 3; echo in the end\n';
let engine: TestEngine;
let proxy: EngineProxy;
let node: TestNode;
let nodeId: string;
const apps: App[] = [];

before(async () => {
  engine = await startTestEngine();
  proxy = await startEngineProxy(engine.endpoint);
  node = await startNode(['--engine', proxy.endpoint]);
  nodeId = (await readFile(`${node.dataDir}/node.id`, 'utf8')).trim();
});

after(async () => {
  await node.stop();
  await proxy.close();
  await engine.stop();
  await Promise.all(apps.map((made) => made.remove()));
});

async function pushed(project: string, name: string, text: string): Promise<App> {
  const made = await app(`${project}/${name}`, { Dockerfile: serving, 'www/index.html': text });
  apps.push(made);
  await made.write('www/cgi-bin/slow', slowly, 0o755);
  await must(node.svc(['push'], { cwd: made.dir }));
  return made;
}

const gone = (path: string, limit?: number) =>
  until(`${path} is gone`, async () => (await callApi(node, 'GET', path)).status === 404, limit);

/** What the engine has of the node: images by tag, networks by name. */
async function atEngine(): Promise<{ tags: string[]; networks: string[] }> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`svc.node=${nodeId}`] }));
  const images = await engineCall(engine.endpoint, 'GET', `/images/json?filters=${filters}`);
  const networks = await engineCall(engine.endpoint, 'GET', `/networks?filters=${filters}`);
  return {
    tags: (JSON.parse(images.text) as { RepoTags: string[] | null }[]).flatMap(
      ({ RepoTags }) => RepoTags ?? [],
    ),
    networks: (JSON.parse(networks.text) as { Name: string }[]).map(({ Name }) => Name),
  };
}

/** Files and directories of the node whose name speaks of one of these ids. */
async function onDisk(ids: string[]): Promise<string[]> {
  const roots = [node.dataDir, runDirOf(nodeId, process.env)];
  const names = await Promise.all(roots.map((root) => readdir(root, { recursive: true })));
  return names.flat().filter((name) => ids.some((id) => name.includes(id)));
}

/** Ids of a service and of all that belongs to it. */
async function idsOf(service: ServiceResource): Promise<string[]> {
  const deployments = await deploymentsOf(node, service);
  return [
    service.id,
    ...deployments.flatMap(({ id, replicas }) => [id, ...replicas.map((replica) => replica.id)]),
  ];
}

describe('a deleted service', () => {
  it('lets requests under way finish, answers no new ones, and gives its name away at once', async () => {
    const old = await createService(node, { name: 'web', listen: 'tcp' });
    await createService(node, { name: 'api' });
    await pushed('demo', 'web', 'the old one');
    await pushed('demo', 'api', 'the other one');
    const ids = await idsOf(old);
    assert.ok((await onDisk(ids)).length > 0);

    const underWay = node.get('web.demo.localhost', '/cgi-bin/slow');
    await until('it is under way', async () => (await node.get('web.demo.localhost')).text === 'the old one');
    assert.equal((await callApi(node, 'DELETE', `/v1/services/${old.id}`)).status, 202);
    await until('its host is gone', async () => (await node.get('web.demo.localhost')).status === 404);
    const next = await createService(node, { name: 'web' });
    await pushed('demo', 'web', 'the new one');
    assert.equal((await node.get('web.demo.localhost')).text, 'the new one');
    const { status, text } = await underWay;
    assert.deepEqual([status, text.trim()], [200, 'in the end']);
    assert.equal((await node.get('api.demo.localhost')).text, 'the other one');

    await gone(`/v1/services/${old.id}`);
    assert.deepEqual(await containersOf(node, { 'svc.deployment': ids[1] ?? '' }), []);
    assert.deepEqual(await onDisk(ids), []);
    const { tags } = await atEngine();
    assert.equal(tags.length, 2, tags.join(' '));
    assert.ok(tags.some((tag) => tag.includes(next.id.replace('_', '-'))));
  });

  it('has its build called off', async () => {
    const service = await createService(node, { name: 'slow' });
    const made = await app('demo/slow', { Dockerfile: 'FROM busybox\nRUN echo begun; sleep 600\n' });
    apps.push(made);
    const { stdout } = await must(node.svc(['push', '--no-follow'], { cwd: made.dir }));
    const logs = `/v1/deployments/${stdout.trim()}/logs`;
    await until('it is being built', async () => (await callApi(node, 'GET', logs)).text.includes('begun'));
    const ids = await idsOf(service);
    await fromApi(node, 'DELETE', `/v1/services/${service.id}`);
    await gone(`/v1/services/${service.id}`);
    assert.deepEqual(await onDisk(ids), []);
    assert.ok(!(await atEngine()).tags.some((tag) => tag.includes(service.id.replace('_', '-'))));
  });
});

describe('a deleted project', () => {
  it('waits for an engine that is away, says so, and goes once it is back', async () => {
    await must(node.svc(['projects', 'create', 'shop']));
    const project = await fromApi<ProjectResource>(node, 'GET', '/v1/projects/shop');
    const service = await createService(node, { project: 'shop', name: 'web' });
    await pushed('shop', 'web', 'the old shop');
    const ids = await idsOf(service);

    await proxy.leave();
    assert.equal((await callApi(node, 'DELETE', `/v1/projects/${project.id}`)).status, 409);
    await fromApi(node, 'DELETE', `/v1/projects/${project.id}?cascade=true`);
    const message = await until('it says what it waits for', async () => {
      const { conditions } = await fromApi<ServiceResource>(node, 'GET', `/v1/services/${service.id}`);
      return conditions.find(({ type, reason }) => type === 'Deleted' && reason === 'EngineUnavailable')
        ?.message;
    });
    assert.match(message, /engine/);
    const waiting = await fromApi<ProjectResource>(node, 'GET', `/v1/projects/${project.id}`);
    assert.match(waiting.conditions.find(({ type }) => type === 'Deleted')?.message ?? '', /services.*: web/);

    // Its name is free although nothing of it is gone yet.
    await must(node.svc(['projects', 'create', 'shop']));
    await createService(node, { project: 'shop', name: 'web' });
    await proxy.comeBack();
    await pushed('shop', 'web', 'the new shop');
    assert.equal((await node.get('web.shop.localhost')).text, 'the new shop');

    await gone(`/v1/projects/${project.id}`, 60_000);
    assert.deepEqual(await onDisk([project.id, ...ids]), []);
    const { networks, tags } = await atEngine();
    const left = networks.filter((name) => name.endsWith(`-shop-${project.id.slice(-8)}`));
    assert.deepEqual(left, []);
    assert.ok(!tags.some((tag) => tag.includes(service.id.replace('_', '-'))), tags.join(' '));
    assert.equal((await node.get('web.shop.localhost')).text, 'the new shop');
  });

  it('leaves nothing at the engine when it was the last', async () => {
    for (const name of ['shop', 'demo']) await fromApi(node, 'DELETE', `/v1/projects/${name}?cascade=true`);
    await until('nothing is left', async () => {
      const { tags, networks } = await atEngine();
      return tags.length + networks.length + (await containersOf(node)).length === 0;
    });
    assert.deepEqual(await onDisk(['svc_', 'dep_', 'rep_', 'upl_']), []);
  });
});
