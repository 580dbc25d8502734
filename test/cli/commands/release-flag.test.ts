import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ServiceResource } from '../../../specs/resources.ts';
import { testApi } from '../../support/api.ts';
import { cli, listening } from '../../support/cli.ts';

describe('--release, --cpus and --memory', () => {
  it('say how a service takes over and what a replica may use', async (test) => {
    const api = await testApi(test);
    await api.call('POST', '/v1/projects', { name: 'shop' });
    const user = await cli(test, { url: await listening(api), token: api.token });
    const given = [
      '--release',
      'auto_rollback=false',
      '--release',
      'keep=2',
      '--release',
      'strategy=recreate',
    ];
    const made = await user.svc(
      ...['services', 'create', 'web', '-p', 'shop', '--port', '8080', ...given],
      ...['--cpus', '0.5', '--memory', '1Gi'],
    );
    assert.equal(made.code, 0, made.stderr);
    const [service] = (await api.call('GET', '/v1/services?project=shop')).json<{
      items: ServiceResource[];
    }>().items;
    assert.deepEqual(service?.release, {
      ...{ drain: '30s', keep: 2, strategy: 'recreate', surge: 4, auto_rollback: false, bake: '60s' },
    });
    assert.deepEqual(service.resources, { cpus: 0.5, memory: '1Gi', pids: 512 });
  });

  it('name what is wrong', async (test) => {
    const user = await cli(test, { url: 'http://127.0.0.1:1', token: 'svc_api_x' });
    const create = ['services', 'create', 'web', '-p', 'shop', '--port', '1'];
    for (const [flag, value, words] of [
      ['--release', 'auto_rolback=true', /did you mean "?auto_rollback/i],
      ['--release', 'keep=many', /a number for keep and surge, not "many"/],
      ['--release', 'auto_rollback=maybe', /true or false, not "maybe"/],
      ['--release', 'keep', /KEY=VALUE, not "keep"/],
      ['--cpus', 'two', /a number such as 0\.5 or 2, not "two"/],
    ] as const) {
      const { code, stderr } = await user.svc(...create, flag, value);
      assert.equal(code, 2, stderr);
      assert.match(stderr, words);
    }
  });
});
