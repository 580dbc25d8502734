/** A rollback restores all that an earlier deployment froze, on a real engine: its containers are what they were. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import { app, type App } from '../support/apps.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import {
  callApi,
  containersOf,
  createService,
  deploymentsOf,
  fromApi,
  type Inspected,
} from '../support/node-api.ts';

const host = 'web.demo.localhost';
/** Answers its health path only where its own stage asks for it, and leaves its name in the volume that it has. */
const script = [
  'mkdir -p /www/data',
  'cp /content /www/content',
  'echo fine >"/www/$STAGE"',
  'printf %s "$TOKEN" >/www/token',
  'echo "$STAGE" >>/www/data/stages',
  'exec httpd -f -p $PORT -h /www',
].join('; ');
const dockerfile = 'FROM busybox\nCOPY content /content\nCMD ["sh", "-c", "exit 9"]\n';

const early = {
  port: 8081,
  health: { path: '/early', deadline: '20s' },
  env: { STAGE: 'early', ONLY_EARLY: 'yes' },
  resources: { memory: '48Mi', cpus: 0.5, pids: 64 },
  command: ['sh', '-c', `: early; ${script}`],
  volumes: [{ name: 'first', mount: '/www/data' }],
};
const late = {
  port: 8082,
  health: { path: '/late', deadline: '20s' },
  env: { STAGE: 'late', ONLY_EARLY: null },
  resources: { memory: '64Mi', cpus: 1, pids: 96 },
  command: ['sh', '-c', `: late; ${script}`],
  volumes: [{ name: 'second', mount: '/www/data' }],
};

let node: TestNode;
let made: App;
let service: ServiceResource;

before(async () => {
  node = await startNode();
  const release = { keep: 2, drain: '1s', auto_rollback: false };
  service = await createService(node, { name: 'web', secrets: ['TOKEN'], release, ...early });
  made = await app('demo/web', { Dockerfile: dockerfile, content: 'first image' });
  await secret('the-first-value');
  await must(node.svc(['push'], { cwd: made.dir }));
});

after(async () => {
  await node.stop();
  await made.remove();
});

const deployments = () => deploymentsOf(node, service);
const answered = async (path: string): Promise<string> => (await node.get(host, path)).text.trim();
const secret = (value: string) =>
  fromApi(node, 'PATCH', `/v1/services/${service.id}/secrets`, { set: { TOKEN: value } });

async function numbered(number: number): Promise<DeploymentResource> {
  const found = (await deployments()).find((deployment) => deployment.number === number);
  assert.ok(found, `there is a deployment ${number}`);
  return found;
}

/** Once the newest deployment has this number, and has come to its end. */
function serves(number: number): Promise<DeploymentResource> {
  return until(`deployment ${number} serves`, async () => {
    const found = (await deployments()).find((deployment) => deployment.number === number);
    if (found?.status === 'Failed') throw new Error(found.message);
    return found?.status === 'Healthy' && found.promoted && found;
  });
}

/** What the engine says of the one container of a deployment, without what differs from replica to replica. */
async function runs(number: number) {
  const { id } = await numbered(number);
  const [container, ...others] = await until('there is one container', async () => {
    const all = await containersOf(node, { 'svc.deployment': id });
    return all.length === 1 && all;
  });
  assert.ok(container && others.length === 0);
  return described(container);
}

function described({ Config, HostConfig, Mounts, ...rest }: Inspected) {
  const { Memory, NanoCpus, PidsLimit } = HostConfig;
  return {
    // By content: a tag may move.
    image: (rest as unknown as { Image: string }).Image,
    command: (Config as unknown as { Cmd: string[] }).Cmd,
    env: Config.Env.filter((variable) => !variable.startsWith('SVC_REPLICA=')).sort(),
    limits: { Memory, NanoCpus, PidsLimit },
    mounts: Mounts.map(({ Type, Source, Destination }) => ({ Type, Source, Destination })),
  };
}

describe('a rollback', () => {
  it('restores image, command, environment, secrets, limits, health, port and volumes', async () => {
    await serves(1);
    const before = await runs(1);
    assert.deepEqual(before.command, early.command);
    assert.ok(before.env.includes('TOKEN=the-first-value') && before.env.includes('ONLY_EARLY=yes'));
    assert.deepEqual(before.limits, { Memory: 48 * 2 ** 20, NanoCpus: 5e8, PidsLimit: 64 });
    assert.equal(before.mounts[0]?.Destination, '/www/data');

    await secret('the-second-value');
    await serves(2);
    await fromApi(node, 'PATCH', `/v1/services/${service.id}`, late);
    await serves(3);
    await made.write('content', 'second image');
    await must(node.svc(['push'], { cwd: made.dir }));
    const latest = await runs((await serves(4)).number);
    assert.notEqual(latest.image, before.image);
    assert.deepEqual(latest.command, late.command);
    assert.equal(await answered('/token'), 'the-second-value');
    assert.equal(await answered('/data/stages'), 'late\nlate');

    await must(node.svc(['rollout', 'undo', 'demo/web', '--to', '1']));
    assert.deepEqual(await runs(1), before);
    assert.equal(await answered('/content'), 'first image');
    assert.equal(await answered('/token'), 'the-first-value');
    assert.equal(await answered('/data/stages'), 'early\nearly\nearly');

    await must(node.svc(['rollout', 'undo', 'demo/web']));
    assert.deepEqual(await runs(4), latest);
    assert.equal(await answered('/content'), 'second image');
    assert.equal(await answered('/token'), 'the-second-value');
  });

  it('is there for those whose images are kept, although another one of the same image is not', async () => {
    await fromApi(node, 'PATCH', `/v1/services/${service.id}`, { release: { keep: 1 } });
    const gone = await until('the second gave its image up', async () => {
      const second = await numbered(2);
      return !second.rollback.possible && second;
    });
    const possible = (await deployments()).filter(({ rollback }) => rollback.possible);
    assert.deepEqual(
      possible.map(({ number }) => number),
      [3, 1],
    );
    const refused = await callApi(node, 'POST', `/v1/services/${service.id}/rollback`, {
      deployment_id: gone.id,
    });
    assert.equal(refused.status, 409);
    assert.equal((JSON.parse(refused.text) as { detail: string }).detail, gone.rollback.reason);

    await must(node.svc(['rollout', 'undo', 'demo/web', '--to', '3']));
    const { command, env, mounts } = await runs(3);
    assert.deepEqual(command, late.command);
    assert.ok(env.includes('STAGE=late') && env.includes('TOKEN=the-second-value'));
    assert.match(mounts[0]?.Source ?? '', /second/);
    assert.equal(await answered('/content'), 'first image');
  });
});
