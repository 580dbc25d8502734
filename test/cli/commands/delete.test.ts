import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { ServiceResource } from '../../../specs/resources.ts';
import { giveDeployment, giveMember, giveService, testApi, type TestApi } from '../../support/api.ts';
import { cli, listening, type Cli } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { lookAfterServices } from '../../support/releasing.ts';

interface World {
  api: TestApi;
  url: string;
  service: ServiceResource;
  root: Cli;
}

/** @param runs whether controllers are there */
async function world(test: TestContext, runs = true): Promise<World> {
  const api = await testApi(test);
  const { service } = await giveService(api);
  await giveDeployment(api, service.id);
  if (runs) lookAfterServices(api);
  const url = await listening(api);
  return { api, url, service, root: await cli(test, { url, token: api.token }) };
}

describe('svc delete service', () => {
  it('asks for its name, and waits until it is gone', async (test) => {
    const { api, service, root } = await world(test);
    const { code, stdout, stderr } = await root.type(['web'], 'delete', 'service', 'web', '-p', 'shop');
    assert.deepEqual([code, stdout], [0, 'service/shop/web deleted\n'], stderr);
    assert.match(
      stderr,
      /^This stops service shop\/web and deletes it with its deployments, domains, secrets and the jobs that run in it\. It cannot be undone\.\nType web to go on: /,
    );
    assert.equal(await api.store.get('Service', service.id), undefined);
  });

  for (const answer of ['', 'yes', 'wbe']) {
    it(`deletes nothing when ${JSON.stringify(answer)} is typed`, async (test) => {
      const { api, service, root } = await world(test);
      const { code, stdout, stderr } = await root.type([answer], 'delete', 'service/shop/web');
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /Nothing was changed: something else was typed/);
      assert.equal((await api.store.get('Service', service.id))?.deleted_at, null);
    });
  }

  it('takes --yes where there is no terminal', async (test) => {
    const { api, service, root } = await world(test);
    const refused = await root.svc('delete', 'svc', 'shop/web');
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /no terminal to ask whether you mean it\.\n.*--yes/);
    assert.equal((await api.store.get('Service', service.id))?.deleted_at, null);
    const { code, stdout } = await root.svc('delete', 'svc', 'shop/web', '--yes');
    assert.deepEqual([code, stdout], [0, 'service/shop/web deleted\n']);
  });

  it('does not wait when told not to, gives up in time, and leaves it to the node on Ctrl-C', async (test) => {
    const { api, service, root } = await world(test, false);
    const line = ['delete', 'service', 'shop/web', '--yes'];
    assert.deepEqual(await root.svc(...line, '--no-wait'), {
      code: 0,
      stdout: 'service/shop/web is being deleted\n',
      stderr: '',
    });
    const late = await root.svc('delete', 'service', service.id, '--yes', '--timeout', '100ms');
    assert.deepEqual([late.code, late.stdout], [8, '']);
    assert.match(late.stderr, /It is not gone yet; the node goes on with it/);
    const finding = {
      type: 'Deleted',
      status: 'False',
      reason: 'Deleting',
      message: 'Waiting for 1 replica.',
    };
    const at = '2030-01-01T00:00:00.000Z';
    const conditions = [{ ...finding, status: 'False' as const, last_transition_at: at }];
    await api.store.patchStatus('Service', service.id, 9, { conditions });
    const waiting = root.start('delete', 'service', service.id, '--yes');
    await eventually(() => waiting.stderr() === 'Waiting for 1 replica.\n');
    waiting.interrupt();
    assert.equal((await waiting.outcome).code, 130);
  });

  const wrong: [argv: string[], code: number, message: RegExp][] = [
    [['service', 'wbe', '-p', 'shop'], 4, /no service "wbe" in project "shop"/],
    [['service'], 2, /Which service\?/],
    [['deployment', 'dep_1'], 2, /cannot be deleted by hand/],
    [['pod', 'x'], 2, /no kind "pod"/],
  ];
  for (const [argv, code, message] of wrong) {
    it(`ends with ${code}: svc delete ${argv.join(' ')}`, async (test) => {
      const outcome = await (await world(test)).root.svc('delete', ...argv, '--yes');
      assert.deepEqual([outcome.code, outcome.stdout], [code, '']);
      assert.match(outcome.stderr, message);
    });
  }

  it('takes a project where the name is not the only one', async (test) => {
    const { api, root } = await world(test);
    await api.call('POST', '/v1/projects', { name: 'other' });
    await api.call('POST', '/v1/services', { project: 'other', name: 'web', port: 80 });
    const { code, stderr } = await root.svc('delete', 'service', 'web', '--yes');
    assert.equal(code, 2);
    assert.match(stderr, /more than one service "web"\.\n.*-p PROJECT/);
  });
});

for (const line of [
  ['delete', 'project', 'shop'],
  ['projects', 'delete', 'shop'],
]) {
  describe(`svc ${line.join(' ')}`, () => {
    it('is refused while it has services', async (test) => {
      const { api, service, root } = await world(test);
      const { code, stderr } = await root.svc(...line, '--yes', '--no-wait');
      assert.equal(code, 5);
      assert.match(stderr, /owns services: web[^]*svc delete project shop --cascade/);
      assert.equal((await api.store.get('Project', service.project_id))?.deleted_at, null);
    });

    it('takes them along when told to, and waits', async (test) => {
      const { api, service, root } = await world(test);
      const deleting = root.start(...line, '--cascade', '--yes');
      await eventually(async () => (await api.store.get('Service', service.id)) === undefined);
      // What its controller does once nothing of it is left.
      await api.store.write((writer) => writer.purge('Project', service.project_id));
      const { code, stdout } = await deleting.outcome;
      assert.deepEqual([code, stdout], [0, 'project/shop deleted\n']);
    });

    it('asks for its name, and says what goes along', async (test) => {
      const { root } = await world(test);
      const { code, stderr } = await root.type(['shop!'], ...line, '--cascade');
      assert.equal(code, 2);
      assert.match(stderr, /with all of its services and jobs, its members, registries and deploy key/);
    });

    it('is for super-admins', async (test) => {
      const { api, url, service } = await world(test);
      const { token } = await giveMember(api, 'grace', { [service.project_id]: 'Admin' });
      const grace = await cli(test, { url, token });
      assert.equal((await grace.svc(...line, '--cascade', '--yes')).code, 3);
    });
  });
}
