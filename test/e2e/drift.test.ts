/** What somebody changes by hand at the engine is put right within seconds, and an event names it. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import Docker from 'dockerode';
import type { Event } from '../../specs/event.ts';
import type { Page, ServiceResource } from '../../specs/resources.ts';
import { app, serving, type App } from '../support/apps.ts';
import { asking, Load } from '../support/load.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { containersOf, createService, deploymentsOf, fromApi, type Inspected } from '../support/node-api.ts';

const host = 'drift.demo.localhost';
let node: TestNode;
let docker: Docker;
let service: ServiceResource;
let drift: App;

before(async () => {
  node = await startNode();
  docker = new Docker({ socketPath: node.engine.replace('unix://', ''), host: undefined });
  service = await createService(node, {
    ...{ name: 'drift', resources: { memory: '96Mi', cpus: 0.5, pids: 64 } },
    release: { auto_rollback: false },
  });
  drift = await app('demo/drift', { Dockerfile: serving, 'www/index.html': 'here' });
  await must(node.svc(['push'], { cwd: drift.dir }));
});

after(async () => {
  await node.stop();
  await drift.remove();
});

beforeEach(async () => {
  await until('it serves', async () => (await node.get(host)).text === 'here');
});

async function container(): Promise<Inspected> {
  const [found] = await containersOf(node, { 'svc.service': 'drift' });
  assert.ok(found);
  return found;
}

async function byHand(): Promise<Docker.Container> {
  return docker.getContainer((await container()).Id);
}

const networkOf = ({ HostConfig }: Inspected): string => String(HostConfig['NetworkMode']);

async function isTold(words: RegExp): Promise<void> {
  await until(`an event says ${words}`, async () => {
    const { items } = await fromApi<Page<Event>>(
      node,
      'GET',
      `/v1/events?service_id=${service.id}&limit=500`,
    );
    return items.some(({ reason, message }) => reason === 'Drifted' && words.test(message));
  });
}

const servesAgain = () => until('it serves again', async () => (await node.get(host)).text === 'here');

describe('a container', () => {
  it('that is paused goes on', async () => {
    await (await byHand()).pause();
    await until('it goes on', async () => !(await (await byHand()).inspect()).State.Paused);
    await servesAgain();
    await isTold(/it was paused/);
  });

  it('that is disconnected from its network is connected again, at its address', async () => {
    const before = await container();
    const name = networkOf(before);
    await docker.getNetwork(name).disconnect({ Container: before.Id });
    await until('it is back', async () => {
      const now = (await container()).NetworkSettings.Networks[name]?.IPAddress;
      return now !== undefined && now === before.NetworkSettings.Networks[name]?.IPAddress;
    });
    await servesAgain();
    await isTold(/it was disconnected from its project's network/);
  });

  it('that is connected elsewhere is taken from there', async () => {
    const { Id } = await container();
    await docker.getNetwork('bridge').connect({ Container: Id });
    await until(
      'it is there no more',
      async () => (await container()).NetworkSettings.Networks['bridge'] === undefined,
    );
    assert.equal((await container()).Id, Id);
    await isTold(/it was connected to the network bridge/);
  });

  it('that is re-limited gets its limits back, and is not restarted by anybody else', async () => {
    const { Id } = await container();
    const looser = { Memory: 2 ** 28, MemorySwap: 2 ** 28, NanoCpus: 1e9, PidsLimit: -1 };
    await (await byHand()).update({ ...looser, RestartPolicy: { Name: 'always' } });
    const now = await until('it has its limits', async () => {
      const { HostConfig } = await container();
      return HostConfig['PidsLimit'] === 64 && HostConfig;
    });
    assert.deepEqual([now['Memory'], now['MemorySwap'], now['NanoCpus']], [96 * 2 ** 20, 96 * 2 ** 20, 5e8]);
    assert.deepEqual(now['RestartPolicy'], { Name: 'no', MaximumRetryCount: 0 });
    assert.equal((await container()).Id, Id);
    await isTold(/memory 256\.0 MiB instead of 96Mi, cpus 1 instead of 0\.5, pids unlimited instead of 64/);
  });

  it('that is stopped is started again at once', async () => {
    await (await byHand()).stop({ t: 1 });
    await servesAgain();
  });

  it('that is removed is made again', async () => {
    await (await byHand()).remove({ force: true });
    await servesAgain();
    await isTold(/its container was removed/);
  });
});

it('a network that is removed comes back, with what was in it', async () => {
  const before = await container();
  const name = networkOf(before);
  await node.kill('SIGKILL');
  await docker.getNetwork(name).disconnect({ Container: before.Id });
  await docker.getNetwork(name).remove();
  await node.start();
  await servesAgain();
  assert.equal((await container()).Id, before.Id);

  // And while the node looks on, with a container that does not run and still names the network that is gone.
  await node.kill('SIGKILL');
  await docker.getContainer(before.Id).stop({ t: 1 });
  await docker.getNetwork(name).remove();
  await node.start();
  await servesAgain();
});

it('a network whose range somebody else took meanwhile comes back in another one, with all that was in it', async () => {
  const before = await container();
  const name = networkOf(before);
  const network = docker.getNetwork(name);
  const { IPAM } = await network.inspect();
  await node.kill('SIGKILL');
  await network.disconnect({ Container: before.Id });
  await network.remove();
  const other = await docker.createNetwork({ Name: `other-${name}`, IPAM });
  try {
    await node.start();
    await servesAgain();
    assert.notEqual((await container()).Id, before.Id);
    const { items } = await fromApi<Page<Event>>(node, 'GET', '/v1/events?limit=500');
    const range = IPAM?.Config?.[0]?.Subnet ?? '';
    assert.ok(items.some(({ kind, message }) => kind === 'Project' && message.includes(range)));
  } finally {
    await other.remove();
  }
});

it('an image of a kept deployment that is removed is missed, and history says so', async () => {
  await drift.write('www/other.html', 'other');
  await must(node.svc(['push'], { cwd: drift.dir }));
  const before = await until('the one before rests', async () => {
    const found = (await deploymentsOf(node, service)).find(({ number }) => number === 1);
    return found?.status === 'Inactive' && found.replicas.length === 0 && found;
  });
  assert.equal(before.rollback.possible, true);
  await until('its image is gone', async () => {
    // While its last container is being removed, the engine keeps it.
    const image = docker.getImage(before.image ?? '');
    return image.remove({ force: true }).then(
      () => true,
      () =>
        image.inspect().then(
          () => false,
          () => true,
        ),
    );
  });
  const after = await until('it is missed', async () => {
    const found = (await deploymentsOf(node, service)).find(({ number }) => number === 1);
    return found?.rollback.possible === false && found;
  });
  assert.match(after.rollback.reason ?? '', /removed from the engine by hand/);
  assert.ok(after.conditions.some(({ type, reason }) => type === 'Image' && reason === 'ImageGone'));
});

it('no request fails while a container is killed, removed, or dies twice in a row', async () => {
  const load = new Load().start({ port: node.httpPort, host }, [asking('kept', '/'), asking('also', '/')]);
  const harms: ((one: Docker.Container) => Promise<unknown>)[] = [
    (one) => one.kill(),
    (one) => one.remove({ force: true }),
    (one) => one.kill(),
  ];
  for (const harm of harms) {
    const { Id } = await container();
    const { StartedAt } = (await docker.getContainer(Id).inspect()).State;
    await harm(docker.getContainer(Id));
    await until('it runs anew', async () => {
      const [found] = await containersOf(node, { 'svc.service': 'drift' });
      const { Running, StartedAt: again } = found
        ? (await docker.getContainer(found.Id).inspect()).State
        : { Running: false, StartedAt };
      return Running && again !== StartedAt;
    });
    await servesAgain();
  }
  await load.stop();
  assert.deepEqual(load.failures, []);
  // At least one of each waited every time.
  for (const kind of ['kept', 'also']) assert.ok((load.answers[kind] ?? 0) >= harms.length);
});

describe('limits', () => {
  it('are changed while it runs, without a deployment', async () => {
    const { Id } = await container();
    const deployments = (await deploymentsOf(node, service)).length;
    const restarts = (await deploymentsOf(node, service))[0]?.replicas[0]?.restarts;
    await fromApi(node, 'PATCH', `/v1/services/${service.id}`, { resources: { memory: '128Mi', pids: 99 } });
    await until('they are in force', async () => {
      const { Memory, PidsLimit } = (await container()).HostConfig;
      return Memory === 128 * 2 ** 20 && PidsLimit === 99;
    });
    assert.equal((await container()).Id, Id);
    const now = await deploymentsOf(node, service);
    assert.equal(now.length, deployments);
    assert.equal(now[0]?.resources.memory, '128Mi');
    assert.equal(now[0].replicas[0]?.restarts, restarts);
    await until('the change is observed', async () => {
      const seen = await fromApi<ServiceResource>(node, 'GET', `/v1/services/${service.id}`);
      return seen.observed_generation === seen.generation;
    });
  });

  it('that change with something else make one deployment, and a rollback brings back the older ones', async () => {
    const before = (await deploymentsOf(node, service)).length;
    const changed = { resources: { memory: '160Mi' }, env: { LOG_LEVEL: 'debug' } };
    await fromApi(node, 'PATCH', `/v1/services/${service.id}`, changed);
    await until('it is released', async () => {
      const [newest, ...others] = await deploymentsOf(node, service);
      return others.length === before && newest?.status === 'Healthy';
    });
    await must(node.svc(['rollback', 'demo/drift']));
    await until('the older limits are back', async () => {
      const all = await containersOf(node, { 'svc.service': 'drift' });
      return all.length === 1 && all[0]?.HostConfig['Memory'] === 128 * 2 ** 20;
    });
    assert.equal((await deploymentsOf(node, service)).length, before + 1);
  });
});
