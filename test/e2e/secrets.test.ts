/** Secrets and other configuration of a service on a real engine: what the workload sees, and what becomes of a change. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import { app, type App } from '../support/apps.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import {
  callApi,
  containersOf,
  createService,
  deploymentOf,
  deploymentsOf,
  fromApi,
} from '../support/node-api.ts';

const host = 'vault.demo.localhost';
const dockerfile = 'FROM busybox\nRUN echo built once\nCOPY start.sh /\nCMD ["sh", "/start.sh"]\n';
/** Serves its own environment; does not start where MODE says so. */
const start = [
  '[ "$MODE" != broken ] || exit 3',
  'mkdir /www',
  'printf %s "$DATABASE_URL" >/www/index.html',
  '[ -z "$MODE" ] || printf %s "$MODE" >/www/mode',
  'exec httpd -f -p $PORT -h /www',
  '',
].join('\n');
const secret = `postgres://u:p@ss'"$HOME\`@db/${randomBytes(8).toString('hex')}`;
const another = `${secret}-rotated`;

let node: TestNode;
let made: App;
let service: ServiceResource;

before(async () => {
  node = await startNode();
  service = await createService(node, {
    name: 'vault',
    secrets: ['DATABASE_URL'],
    health: { deadline: '10s' },
  });
  made = await app('demo/vault', { Dockerfile: dockerfile, 'start.sh': start });
});

after(async () => {
  await node.stop();
  await made.remove();
});

const push = () => node.svc(['push'], { cwd: made.dir });
const answered = async (path = '/'): Promise<string> => (await node.get(host, path)).text.trim();
const set = (values: Record<string, string>) =>
  fromApi(node, 'PATCH', `/v1/services/${service.id}/secrets`, { set: values });
const configure = (fields: object) => fromApi(node, 'PATCH', `/v1/services/${service.id}`, fields);
const present = () => fromApi<ServiceResource>(node, 'GET', `/v1/services/${service.id}`);

/** The newest deployment, once there are so many and it has come to its end. */
function settled(count: number): Promise<DeploymentResource> {
  return until(`deployment ${count} has come to its end`, async () => {
    const all = await deploymentsOf(node, service);
    const [newest] = all;
    return (
      all.length === count && newest && ['Healthy', 'Failed', 'Stopped'].includes(newest.status) && newest
    );
  });
}

describe('a secret', () => {
  it('without a value keeps a push from being deployed', async () => {
    const { code, stderr } = await push();
    assert.equal(code, 5, stderr);
    assert.match(stderr, /DATABASE_URL/);
    const [condition] = (await present()).conditions.filter(({ type }) => type === 'Configured');
    assert.equal(condition?.reason, 'SecretMissing');
    assert.deepEqual(await containersOf(node), []);
  });

  it('is seen by the workload as it was set', async () => {
    await set({ DATABASE_URL: secret });
    await must(push());
    assert.equal(await answered(), secret);
  });

  it('is in the environment of its container and nowhere else', async () => {
    const [container] = await containersOf(node);
    assert.ok(container);
    assert.ok(container.Config.Env.includes(`DATABASE_URL=${secret}`));
    const { Env, ...config } = container.Config;
    assert.ok(Env.length > 0);
    assert.ok(
      !JSON.stringify({ ...container, Config: config }).includes(JSON.stringify(secret).slice(1, -1)),
    );
    assert.ok(!node.log().includes(secret));
    for (const file of ['svc.db', 'svc.db-wal'])
      assert.ok(!(await readFile(join(node.dataDir, file))).includes(secret), file);
  });

  it('that is changed is released without a build, while the old value is served until then', async () => {
    const answers = new Set<string>();
    await set({ DATABASE_URL: another });
    const released = await until('it is released', async () => {
      answers.add(await answered());
      const [newest] = await deploymentsOf(node, service);
      return newest?.number === 2 && newest.status === 'Healthy' && newest;
    });
    assert.equal(await answered(), another);
    assert.ok(
      [...answers].every((answer) => answer === secret || answer === another),
      [...answers].join(' '),
    );
    const [, first] = await deploymentsOf(node, service);
    assert.equal(released.reuse, first?.id);
    assert.equal(released.image, first?.image);
    const { text } = await callApi(node, 'GET', `/v1/deployments/${released.id}/logs`);
    assert.match(text, /configuration change of deployment 1/);
    assert.doesNotMatch(text, /built once/);
  });

  it('that is set to what it is releases nothing', async () => {
    await set({ DATABASE_URL: another });
    await until('it was looked at', async () => {
      const { generation, observed_generation: observed } = await present();
      return observed >= generation;
    });
    assert.equal((await deploymentsOf(node, service)).length, 2);
  });
});

describe('another configuration', () => {
  it('that does not work fails alone, and is tried once', async () => {
    await configure({ env: { MODE: 'broken' } });
    const failed = await settled(3);
    assert.deepEqual([failed.status, failed.reason], ['Failed', 'WorkloadExited']);
    assert.equal(await answered(), another);
    await configure({ replicas: 1, release: { keep: 4 } });
    await until('it was looked at', async () => {
      const { generation, observed_generation: observed } = await present();
      return observed >= generation;
    });
    assert.equal((await deploymentsOf(node, service)).length, 3);
  });

  it('that mends it is released on what serves', async () => {
    await configure({ env: { MODE: 'well' } });
    const mended = await settled(4);
    assert.equal(mended.status, 'Healthy', mended.message);
    assert.equal(await answered('/mode'), 'well');
  });

  it('is not released again by a rollback, and survives the images before it', async () => {
    await must(node.svc(['rollback', 'demo/vault']));
    await until('it is back', async () => (await node.get(host, '/mode')).status === 404);
    assert.equal((await deploymentsOf(node, service)).length, 4);
    await must(node.svc(['rollback', 'demo/vault']));
    await until('it is there again', async () => (await answered('/mode')) === 'well');
  });

  it('of a stopped service is released when it is started', async () => {
    await must(node.svc(['stop', 'demo/vault']));
    await configure({ env: { MODE: 'rested' } });
    await until('it waits', async () =>
      (await present()).conditions.some(({ reason }) => reason === 'ReleasePending'),
    );
    assert.equal((await deploymentsOf(node, service)).length, 4);
    await must(node.svc(['start', 'demo/vault']));
    await until('it is released', async () => (await answered('/mode')) === 'rested');
    assert.equal((await settled(5)).promoted, true);
  });
});

describe('a node whose key is another', () => {
  const keyFile = () => join(node.dataDir, 'node.key');
  let key: Buffer;

  it('serves on, and stops the next rollout with a clear condition', async () => {
    key = await readFile(keyFile());
    await node.kill('SIGTERM');
    await writeFile(keyFile(), randomBytes(32), { mode: 0o600 });
    await node.start();
    assert.equal(await answered('/mode'), 'rested');

    await configure({ env: { MODE: 'next' } });
    const failed = await settled(6);
    assert.deepEqual([failed.status, failed.reason], ['Failed', 'SecretUnavailable']);
    assert.match(failed.message, /DATABASE_URL.*node key.*svc secrets set demo\/vault DATABASE_URL/);
    assert.equal(await answered('/mode'), 'rested');
  });

  it('does not restart what it cannot make again, and leaves it serving', async () => {
    await node.svc(['restart', 'demo/vault']);
    const [, serving] = await deploymentsOf(node, service);
    const message = await until('the restart failed', async () => {
      const { conditions } = await deploymentOf(node, serving?.id ?? '');
      return conditions.find(({ type, status }) => type === 'Restarted' && status === 'False')?.message;
    });
    assert.match(message, /DATABASE_URL/);
    assert.equal(await answered(), another);
  });

  it('goes on once the value is set anew', async () => {
    await set({ DATABASE_URL: secret });
    await until('it is released', async () => (await answered()) === secret);
    assert.equal(await answered('/mode'), 'next');
    assert.ok(key.length > 0);
    assert.ok(!node.log().includes(secret));
  });
});
