import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Page, ServiceResource } from '../../../specs/resources.ts';
import { giveService, testApi, type TestApi } from '../../support/api.ts';
import { cli, listening, type Cli } from '../../support/cli.ts';

async function world(test: TestContext): Promise<{ api: TestApi; user: Cli }> {
  const api = await testApi(test);
  return { api, user: await cli(test, { url: await listening(api), token: api.token }) };
}

describe('svc projects create', () => {
  it('creates a project, once', async (test) => {
    const { user } = await world(test);
    assert.deepEqual(await user.svc('projects', 'create', 'shop'), {
      code: 0,
      stdout: 'project/shop created\n',
      stderr: '',
    });
    assert.equal((await user.svc('get', 'projects', '-o', 'name')).stdout, 'project/shop\n');
    assert.equal((await user.svc('projects', 'create', 'shop')).code, 5);
  });

  it('is refused with what is wrong with the name', async (test) => {
    const { code, stderr } = await (await world(test)).user.svc('projects', 'create', 'Shop!');
    assert.equal(code, 5);
    assert.match(stderr, /\/name has a wrong form: /);
  });
});

describe('svc services create', () => {
  it('creates a service as its flags say', async (test) => {
    const { api, user } = await world(test);
    await user.svc('projects', 'create', 'shop');
    const flags = [
      '--port',
      '3000',
      '--health-path',
      '/healthz',
      '--listen',
      'socket',
      '--replicas',
      '2',
      '--env',
      'A=1',
      '--env',
      'B=x=y',
      '--env',
      'C=',
      '--command',
      "sh -c 'exec serve --port $PORT'",
    ];
    assert.deepEqual(await user.svc('services', 'create', 'web', '-p', 'shop', ...flags), {
      code: 0,
      stdout: 'service/shop/web created\n',
      stderr: 'It will be served at http://web.shop.localhost:8080/ after the first push.\n',
    });
    const [service] = (await api.call('GET', '/v1/services')).json<Page<ServiceResource>>().items;
    assert.deepEqual(
      [service?.port, service?.health.path, service?.listen, service?.replicas, service?.env],
      [3000, '/healthz', 'socket', 2, { A: '1', B: 'x=y', C: '' }],
    );
    assert.deepEqual(service?.command, ['sh', '-c', 'exec serve --port $PORT']);
  });

  it('leaves to the node what no flag says', async (test) => {
    const { api, user } = await world(test);
    await user.svc('projects', 'create', 'shop');
    assert.equal((await user.svc('services', 'create', 'shop/web', '--port', '80')).code, 0);
    const [service] = (await api.call('GET', '/v1/services')).json<Page<ServiceResource>>().items;
    assert.deepEqual(
      [service?.health.path, service?.listen, service?.replicas, service?.env],
      ['/', 'tcp', 1, {}],
    );
  });

  const wrong: [string[], number, RegExp][] = [
    [['--port', 'http'], 2, /--port takes a whole number from 1 to 65535, not "http"/],
    [['--port', '0'], 2, /--port/],
    [['--port', '80', '--listen', 'sockte'], 2, /Did you mean "socket"/],
    [['--port', '80', '--replicas', '101'], 2, /--replicas takes a whole number from 1 to 100/],
    [['--port', '80', '--health-path', 'healthz'], 5, /health_path/],
  ];
  for (const [flags, exitCode, message] of wrong) {
    it(`ends with ${exitCode}: ${flags.join(' ')}`, async (test) => {
      const { api, user } = await world(test);
      await giveService(api);
      const { code, stdout, stderr } = await user.svc('services', 'create', 'other', '-p', 'shop', ...flags);
      assert.deepEqual([code, stdout], [exitCode, '']);
      assert.match(stderr, message);
    });
  }

  it('does not quote a value that may be a secret', async (test) => {
    const { code, stderr } = await (
      await world(test)
    ).user.svc('services', 'create', 'web', '-p', 'shop', '--port', '80', '--env', '=hush');
    assert.equal(code, 2);
    assert.doesNotMatch(stderr, /hush/);
  });

  it('ends with 4 where there is no such project', async (test) => {
    assert.equal(
      (await (await world(test)).user.svc('services', 'create', 'web', '-p', 'nope', '--port', '80')).code,
      4,
    );
  });
});
