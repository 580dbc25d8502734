import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { ServiceResource } from '../../../specs/resources.ts';
import { giveDeployment, giveMember, giveService, testApi, type TestApi } from '../../support/api.ts';
import { aReadyReplica } from '../../support/console-client.ts';
import { eventually } from '../../support/eventually.ts';
import { given } from '../../support/store.ts';
import { cli, clockOf, golden, listening, type Cli } from '../../support/cli.ts';
import { promote } from '../../support/released.ts';
import { lookAfterServices } from '../../support/releasing.ts';

interface World {
  api: TestApi;
  url: string;
  user: Cli;
  service(): Promise<ServiceResource>;
}

/** The service shop/web, which runs its first deployment. */
async function world(test: TestContext): Promise<World> {
  const api = await testApi(test);
  const { service } = await giveService(api);
  await promote(api, await giveDeployment(api, service.id));
  lookAfterServices(api);
  const url = await listening(api);
  const user = await cli(test, { url, token: api.token, clock: clockOf(api) });
  const read = async () => (await api.call('GET', `/v1/services/${service.id}`)).json<ServiceResource>();
  return { api, url, user, service: read };
}

const update = ['services', 'update', 'shop/web'];

describe('svc services update', () => {
  it('changes what its flags name, and follows the release', async (test) => {
    const { user, service } = await world(test);
    assert.equal((await user.svc(...update, '--env', 'A=1', '--env', 'B=x=y', '--no-follow')).code, 0);
    const flags = ['--port', '4000', '--health-path', '/up', '--listen', 'socket', '--unset-env', 'A'];
    const outcome = await user.svc(...update, ...flags, '--env', 'C=');
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.match(
      outcome.stdout,
      /^service\/shop\/web updated\nHealthy: http:\/\/web\.shop\.localhost:8080\/ \(\d\.\ds\)\n$/,
    );
    assert.match(outcome.stderr, /^Deployment \d of shop\/web releases it: no build\.\n/);
    const { port, health, listen, replicas, env } = await service();
    assert.deepEqual(
      [port, health.path, listen, replicas, env],
      [4000, '/up', 'socket', 1, { B: 'x=y', C: '' }],
    );
  });

  it('waits until a greater number of replicas is ready: it needs no release', async (test) => {
    const { api, user, service } = await world(test);
    const { id, promoted_deployment_id: deployment } = await service();
    const replica = (name: string) => given(api.store, { ...aReadyReplica(deployment ?? '', id), name });
    await replica('0.0');
    const running = user.svc(...update, '--replicas', '2');
    await eventually(async () => (await service()).observed_generation === 2);
    await replica('0.1');
    const { code, stdout, stderr } = await running;
    assert.deepEqual([code, stdout], [0, 'service/shop/web updated\n']);
    assert.match(stderr, /^(?:1 of 2 replicas are ready\.\n)?$/);
    assert.equal((await service()).replicas, 2);
  });

  it('does not wait for replicas when told not to', async (test) => {
    const { user, service } = await world(test);
    const outcome = await user.svc(...update, '--replicas', '3', '--no-wait');
    assert.deepEqual(outcome, { code: 0, stdout: 'service/shop/web updated\n', stderr: '' });
    assert.equal((await service()).replicas, 3);
  });

  it('does not wait for replicas of what is stopped', async (test) => {
    const { user } = await world(test);
    assert.equal((await user.svc('stop', 'shop/web', '--no-wait')).code, 0);
    assert.equal((await user.svc(...update, '--replicas', '3')).code, 0);
  });

  const wrong: [flags: string[], code: number, message: RegExp][] = [
    [[], 2, /What is to change\?/],
    [['--port', '0'], 2, /--port takes a whole number/],
    [['--env', '=hush'], 2, /--env takes KEY=VALUE/],
    [['--env', 'A=hush', '--unset-env', 'A'], 2, /both name A/],
    [['--env', 'PORT=hush'], 5, /\/env\/PORT is set by svc/],
    [['--health-path', 'up'], 5, /health_path/],
    [['--listen', 'udp'], 2, /--listen takes tcp or socket/],
  ];
  for (const [flags, code, message] of wrong) {
    it(`ends with ${code}: ${flags.join(' ')}`, async (test) => {
      const { user, service } = await world(test);
      const before = await service();
      const outcome = await user.svc(...update, ...flags);
      assert.deepEqual([outcome.code, outcome.stdout], [code, '']);
      assert.match(outcome.stderr, message);
      assert.doesNotMatch(outcome.stderr, /hush/);
      assert.deepEqual(await service(), before);
    });
  }
});

describe('svc describe service', () => {
  it('shows names and values of the environment, and names and versions of secrets', async (test) => {
    const { api, url, user, service } = await world(test);
    await user.svc(...update, '--env', 'A=1', '--no-follow');
    const { id, project_id } = await service();
    await user.feed('hush hush', 'secrets', 'set', 'shop/web', 'TOKEN', '--no-follow');
    await api.call('PATCH', `/v1/services/${id}`, { secrets: ['TOKEN', 'MISSING'] });
    const { stdout } = await user.svc('describe', 'service', 'web', '-p', 'shop');
    assert.match(stdout, /\nEnvironment: +A=1\n/);
    const secrets = /\nSecrets:\n((?: {2}.*\n)*)/.exec(golden(stdout))?.[1] ?? '';
    assert.deepEqual(secrets.split('\n').sort(), [
      '',
      '  MISSING   no value yet   -',
      '  NAME      VERSION        AGE',
      '  TOKEN     1              0s',
    ]);
    assert.doesNotMatch(stdout, /hush/);
    const { token } = await giveMember(api, 'grace', { [project_id]: 'Viewer' });
    const seen = await (await cli(test, { url, token })).svc('describe', 'service', 'web', '-p', 'shop');
    assert.match(seen.stdout, /\nEnvironment: +A=\*\*\*\n/);
  });
});
