import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page, ServiceResource } from '../../../specs/resources.ts';
import { giveService, testApi } from '../../support/api.ts';

const minimal = { project: 'shop', name: 'web', port: 3000 };

describe('POST /v1/services', () => {
  it('fills in the defaults', async (t) => {
    const api = await testApi(t);
    const { project, service } = await giveService(api);
    const { id, created_at, updated_at, ...rest } = service;
    assert.match(id, /^svc_/);
    assert.equal(created_at, updated_at);
    assert.deepEqual(rest, {
      ...{
        generation: 1,
        observed_generation: 0,
        deleting: false,
        conditions: [],
        name: 'web',
        project: 'shop',
        project_id: project.id,
      },
      ...{
        port: 3000,
        listen: 'tcp',
        replicas: 1,
        env: {},
        secrets: [],
        tls_enabled: false,
        running: false,
        epoch: 0,
      },
      health: { path: '/', interval: '1s', timeout: '5s', deadline: '2m', successes: 1 },
      resources: { cpus: 1, memory: '512Mi', pids: 512 },
      ...{ command: null, volumes: [], parked_since: null, bake: null },
      release: {
        ...{ drain: '30s', keep: 5, strategy: 'rolling', surge: 4, auto_rollback: true, bake: '60s' },
      },
      ...{ target_deployment_id: null, promoted_deployment_id: null, previous_deployment_id: null },
      urls: ['http://web.shop.localhost:8080/'],
    });
  });

  it('keeps what is given, the project by id too', async (t) => {
    const api = await testApi(t);
    const { project } = await giveService(api);
    const given = {
      ...{
        name: 'api',
        port: 1,
        listen: 'socket',
        replicas: 3,
        env: { A_1: 'x', _b: '' },
        tls_enabled: true,
      },
      health: { path: '/up', timeout: '1m30s' },
      resources: { cpus: 0.5, memory: '1Gi' },
      release: { keep: 1 },
    };
    const made = await api.call('POST', '/v1/services', {
      project: project.id,
      health_path: '/up',
      ...given,
    });
    assert.equal(made.status, 201);
    const service = made.json<ServiceResource>();
    assert.partialDeepStrictEqual(service, given);
    assert.deepEqual(
      [service.health.interval, service.resources.pids, service.release.drain],
      ['1s', 512, '30s'],
    );
  });

  it('takes health_path for health.path', async (t) => {
    const api = await testApi(t);
    await giveService(api);
    const made = await api.call('POST', '/v1/services', {
      ...minimal,
      name: 'api',
      health_path: '/up',
      health: { timeout: '2s' },
    });
    assert.deepEqual(made.json<ServiceResource>().health, {
      path: '/up',
      interval: '1s',
      timeout: '2s',
      deadline: '2m',
      successes: 1,
    });
  });

  for (const [what, fields, path] of [
    ['two different health paths', { health_path: '/a', health: { path: '/b' } }, '/health_path'],
    ['PORT in the environment', { env: { PORT: '1' } }, '/env/PORT'],
    ['SVC_ names in the environment', { env: { SVC_X: '1' } }, '/env/SVC_X'],
    ['a name that no variable has', { env: { 'a-b': '1' } }, '/env/a-b'],
    ['a null character in a value', { env: { A: 'x\0y' } }, '/env/A'],
    ['an endless name of a variable', { env: { ['A'.repeat(257)]: '' } }, `/env/${'A'.repeat(257)}`],
    ['an interval of nothing', { health: { interval: '0s' } }, '/health/interval'],
    ['a deadline that no timer can hold', { health: { deadline: '25d' } }, '/health/deadline'],
    ['a duration in words', { release: { drain: 'long' } }, '/release/drain'],
    ['memory that no engine takes', { resources: { memory: '1Mi' } }, '/resources/memory'],
    ['a sliver of a processor', { resources: { cpus: 0.001 } }, '/resources/cpus'],
    ['no replicas', { replicas: 0 }, '/replicas'],
    ['a health path that is none', { health_path: 'up' }, '/health_path'],
    ['a name that is no DNS label', { name: 'Web_1' }, '/name'],
    ['a misspelt field', { prot: 1 }, '/prot'],
  ] as const) {
    it(`refuses ${what}`, async (t) => {
      const api = await testApi(t);
      await api.call('POST', '/v1/projects', { name: 'shop' });
      const answer = await api.call('POST', '/v1/services', { ...minimal, ...fields });
      assert.equal(answer.status, 422, answer.text);
      assert.deepEqual(
        answer.problem().errors?.map((error) => error.path),
        [path],
      );
      assert.deepEqual(await api.store.list('Service'), []);
    });
  }

  it('tells every broken rule at once', async (t) => {
    const api = await testApi(t);
    await api.call('POST', '/v1/projects', { name: 'shop' });
    const body = { ...minimal, env: { PORT: '1', SVC_A: '2' }, health: { interval: '0s' } };
    const answer = await api.call('POST', '/v1/services', body);
    assert.deepEqual(
      answer.problem().errors?.map(({ path }) => path),
      ['/health/interval', '/env/PORT', '/env/SVC_A'],
    );
  });

  it('refuses a name that is taken in the project, and only there', async (t) => {
    const api = await testApi(t);
    await giveService(api);
    await api.call('POST', '/v1/projects', { name: 'blog' });
    assert.equal((await api.call('POST', '/v1/services', minimal)).status, 409);
    assert.equal((await api.call('POST', '/v1/services', { ...minimal, project: 'blog' })).status, 201);
  });

  it('refuses a project that is not there or is going away', async (t) => {
    const api = await testApi(t);
    assert.equal((await api.call('POST', '/v1/services', minimal)).status, 404);
    const { project } = await giveService(api);
    await api.store.write((writer) => writer.markDeleted('Project', project.id));
    assert.equal(
      (await api.call('POST', '/v1/services', { ...minimal, project: project.id, name: 'b' })).status,
      409,
    );
  });

  it("refuses to claim the node's own control domain", async (t) => {
    const api = await testApi(t, { settings: { controlDomain: 'web.shop.localhost' } });
    await api.call('POST', '/v1/projects', { name: 'shop' });
    const answer = await api.call('POST', '/v1/services', minimal);
    assert.deepEqual(answer.problem().errors, [
      { path: '/name', message: "would claim the node's own control domain" },
    ]);
  });
});

describe('GET /v1/services', () => {
  it('is narrowed by project and name', async (t) => {
    const api = await testApi(t);
    const { project } = await giveService(api);
    await api.call('POST', '/v1/projects', { name: 'blog' });
    await api.call('POST', '/v1/services', { ...minimal, name: 'api' });
    await api.call('POST', '/v1/services', { ...minimal, project: 'blog' });
    const names = async (query: string) => {
      const { items } = (await api.call('GET', `/v1/services${query}`)).json<Page<ServiceResource>>();
      return items.map((service) => `${service.project}/${service.name}`);
    };
    assert.deepEqual(await names(''), ['blog/web', 'shop/api', 'shop/web']);
    assert.deepEqual(await names('?project=shop'), ['shop/api', 'shop/web']);
    assert.deepEqual(await names(`?project=${project.id}&name=api`), ['shop/api']);
    assert.deepEqual(await names('?name=web'), ['blog/web', 'shop/web']);
    assert.deepEqual(await names('?project=none'), []);
    assert.deepEqual(await names('?name=none'), []);
  });

  it('shows one by id, as it was made', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    assert.deepEqual((await api.call('GET', `/v1/services/${service.id}`)).json(), service);
    assert.equal((await api.call('GET', '/v1/services/web')).status, 404);
  });

  it('has URLs without a port on port 80, and none without a domain', async (t) => {
    const on80 = await testApi(t, { settings: { publicHttpPort: 80, appsDomain: 'apps.example.com' } });
    assert.deepEqual((await giveService(on80)).service.urls, ['http://web.shop.apps.example.com/']);
    const without = await testApi(t, { settings: { appsDomain: null } });
    assert.deepEqual((await giveService(without)).service.urls, []);
  });
});
