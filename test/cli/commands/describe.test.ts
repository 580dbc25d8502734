import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { giveDeployment, giveService, testApi } from '../../support/api.ts';
import { cli, clockOf, listening } from '../../support/cli.ts';
import { promote } from '../../support/released.ts';

/** A node with the service `web` in project `shop`, looked at three minutes later. */
async function world(test: TestContext) {
  const api = await testApi(test);
  const { service } = await giveService(api);
  await api.clock.advance(180_000);
  const user = await cli(test, { url: await listening(api), token: api.token, clock: clockOf(api) });
  return { api, service, user };
}

describe('svc describe service', () => {
  it('tells of a restart that failed', async (test) => {
    const { api, user, service } = await world(test);
    const deployment = await giveDeployment(api, service.id);
    await promote(api, deployment);
    const describing = async () => (await user.svc('describe', 'service', 'web', '-p', 'shop')).stdout;
    assert.doesNotMatch(await describing(), /Last restart/);
    const message = 'The workload exited with code 3.\nIts last lines:\n  boom';
    const last_transition_at = '2030-01-01T00:02:00.000Z';
    await api.store.patchStatus('Deployment', deployment.id, 1, {
      failed_epoch: 1,
      conditions: [
        { type: 'Restarted', status: 'False', reason: 'WorkloadExited', message, last_transition_at },
      ],
    });
    assert.match(
      await describing(),
      /Last restart: +failed 2030-01-01T00:02:00\.000Z \(\w+ ago\), WorkloadExited: The workload exited with code 3\.\n +Its last lines:\n +boom\n/,
    );
  });
});

describe('svc describe project', () => {
  it('tells what was changed at its network, and nothing of its services', async (test) => {
    const { api, user, service } = await world(test);
    const project = (await api.call('GET', '/v1/projects/shop')).json<{ id: string }>().id;
    const of = { project_id: project, type: 'Warning', reason: 'Drifted' } as const;
    await api.store.events.append({
      ...{ ...of, kind: 'Project', object: project, service_id: null, name: 'shop' },
      message: 'Its network was removed by hand, and was made again.',
    });
    await api.store.events.append({
      ...{ ...of, kind: 'Replica', object: 'rep_1', service_id: service.id, name: 'rep_1' },
      message: 'It died. Its last lines:\n  boom',
    });
    const { stdout } = await user.svc('describe', 'project', 'shop');
    assert.match(stdout, /\nEvents:\n.*\n.*Drifted +project\/shop +Its network was removed by hand/);
    assert.doesNotMatch(stdout, /rep_1/);
    const events = await user.svc('events', '-p', 'shop');
    assert.match(events.stdout, / It died\. Its last lines: …\n/);
  });
});

describe('in a directory whose .svc names project and service', () => {
  async function inFolder(test: TestContext) {
    const one = await world(test);
    await giveDeployment(one.api, one.service.id);
    await one.api.call('POST', '/v1/projects', { name: 'blog' });
    await one.api.call('POST', '/v1/services', { project: 'blog', name: 'web', port: 80 });
    await writeFile(join(one.user.cwd, '.svc'), 'project = "shop"\nservice = "web"\n');
    return one.user;
  }

  it('describe and get find what is named there', async (test) => {
    const user = await inFolder(test);
    const first = async (...argv: string[]) => {
      const { code, stdout, stderr } = await user.svc(...argv);
      assert.equal(code, 0, stderr);
      return stdout;
    };
    for (const argv of [['service'], ['service', 'web']])
      assert.match(await first('describe', ...argv), /^Name: +web\nProject: +shop\n/);
    assert.match(await first('describe', 'project'), /^Name: +shop\n/);
    assert.match(await first('describe', 'deployment', '1'), /Service: +shop\/web\n/);
    assert.match(await first('get', 'deployments', '-s', 'web'), /\n1 +Pending/);
    assert.equal(await first('get', 'service', 'web', '-o', 'name'), 'service/shop/web\n');
    assert.equal((await first('get', 'services', '-o', 'name')).trim().split('\n').length, 2);
  });

  it('flags and full names go before', async (test) => {
    const user = await inFolder(test);
    for (const argv of [['web', '-p', 'blog'], ['blog/web']])
      assert.match((await user.svc('describe', 'service', ...argv)).stdout, /\nProject: +blog\n/);
  });
});
