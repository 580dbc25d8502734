import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { ServiceResource } from '../../../specs/resources.ts';
import { giveDeployment, giveService, testApi } from '../../support/api.ts';
import { promote } from '../../support/released.ts';

async function given(t: TestContext, fields: object = {}) {
  const api = await testApi(t);
  await giveService(api);
  const body = { project: 'shop', name: 'api', port: 1, env: { A: '1', B: '2' }, ...fields };
  const service = (await api.call('POST', '/v1/services', body)).json<ServiceResource>();
  const url = `/v1/services/${service.id}`;
  const patch = (changes: object, headers?: Record<string, string>) =>
    api.call('PATCH', url, changes, headers);
  return { api, service, url, patch };
}

describe('PATCH /v1/services/{id}', () => {
  it('merges what is sent and leaves the rest', async (t) => {
    const { api, service, url, patch } = await given(t);
    const answer = await patch({
      port: 8080,
      health: { timeout: '2s' },
      replicas: 3,
      env: { B: null, C: '3', none: null },
      resources: { memory: '1Gi' },
      release: { keep: 2 },
      tls_enabled: true,
    });
    assert.equal(answer.status, 202, answer.text);
    const changed = answer.json<ServiceResource>();
    const { updated_at } = changed;
    assert.deepEqual(changed, {
      ...service,
      ...{ generation: 2, updated_at, port: 8080, replicas: 3, tls_enabled: true, env: { A: '1', C: '3' } },
      health: { ...service.health, timeout: '2s' },
      resources: { ...service.resources, memory: '1Gi' },
      release: { ...service.release, keep: 2 },
    });
    const read = await api.call('GET', url);
    assert.deepEqual(read.json(), changed);
    assert.equal(read.headers.etag, answer.headers.etag);
  });

  it('takes health_path for health.path', async (t) => {
    const { patch } = await given(t);
    assert.equal((await patch({ health_path: '/up' })).json<ServiceResource>().health.path, '/up');
  });

  it('does not touch what is wanted of its deployments, nor release anything itself', async (t) => {
    const { api, service, patch } = await given(t);
    await promote(api, await giveDeployment(api, service.id));
    const before = await api.store.get('Service', service.id);
    await patch({ port: 2, env: { A: 'x' } });
    const after = await api.store.get('Service', service.id);
    assert.deepEqual(after?.spec.rollout, before?.spec.rollout);
    assert.equal((await api.store.list('Deployment', { owner: service.id })).length, 1);
  });

  it('that changes nothing makes no new generation', async (t) => {
    const { patch } = await given(t);
    const answer = await patch({ env: { A: '1' }, port: 1 });
    assert.deepEqual([answer.status, answer.json<ServiceResource>().generation], [202, 1]);
  });

  it('declares secrets: a new name has no value, one that stays keeps its own', async (t) => {
    const { api, url, patch, service } = await given(t, { secrets: ['KEY'] });
    await api.call('PATCH', `${url}/secrets`, { set: { KEY: 'correct horse' } });
    assert.deepEqual((await patch({ secrets: ['NEW', 'KEY'] })).json<ServiceResource>().secrets, [
      'KEY',
      'NEW',
    ]);
    assert.deepEqual((await api.store.get('Service', service.id))?.spec.secrets, { KEY: 1, NEW: null });
    await patch({ secrets: ['NEW'] });
    await patch({ secrets: ['KEY', 'NEW'] });
    assert.deepEqual((await api.store.get('Service', service.id))?.spec.secrets, { KEY: null, NEW: null });
    assert.deepEqual(await api.store.vault.list(service.id, 'env'), []);
  });

  for (const [what, changes, path] of [
    ['nothing', {}, ''],
    ['PORT', { env: { PORT: '1' } }, '/env/PORT'],
    ['a name of its own as a secret', { secrets: ['X', 'SVC_TOKEN'] }, '/secrets/1'],
    ['a name that no body can give a value', { secrets: ['__proto__'] }, '/secrets/0'],
    ['a plain variable that is a secret', { env: { KEY: 'x' } }, '/env/KEY'],
    ['a secret that is a plain variable', { secrets: ['A'] }, '/secrets/0'],
    ['both at once', { env: { D: 'x' }, secrets: ['D'] }, '/secrets/0'],
    ['a secret twice', { secrets: ['D', 'D'] }, '/secrets'],
    ['a null character', { env: { A: 'x\0' } }, '/env/A'],
    ['half a character', { env: { A: '\ud800' } }, '/env/A'],
    ['a value that no process can be given', { env: { A: '…'.repeat(30_000) } }, '/env/A'],
    ['two different health paths', { health_path: '/a', health: { path: '/b' } }, '/health_path'],
    ['a deadline that no timer can hold', { health: { deadline: '25d' } }, '/health/deadline'],
    ['memory that no engine takes', { resources: { memory: '1Mi' } }, '/resources/memory'],
    ['another name', { name: 'other' }, '/name'],
    ['another project', { project: 'other' }, '/project'],
    ['null for what must be there', { port: null }, '/port'],
  ] as const) {
    it(`refuses ${what}, and changes nothing`, async (t) => {
      const { api, service, patch } = await given(t, { secrets: ['KEY'] });
      const answer = await patch(changes);
      assert.equal(answer.status, 422, answer.text);
      assert.deepEqual(
        answer.problem().errors?.map((error) => error.path),
        [path],
      );
      assert.equal((await api.store.get('Service', service.id))?.version, 1);
    });
  }

  it('takes a variable away and declares it as a secret in one step', async (t) => {
    const { patch } = await given(t);
    const changed = (await patch({ env: { A: null }, secrets: ['A'] })).json<ServiceResource>();
    assert.deepEqual([changed.env, changed.secrets], [{ B: '2' }, ['A']]);
  });

  it('is guarded by If-Match', async (t) => {
    const { api, url, patch } = await given(t);
    const etag = String((await api.call('GET', url)).headers.etag);
    assert.equal((await patch({ port: 2 }, { 'if-match': etag })).status, 202);
    assert.equal((await patch({ port: 3 }, { 'if-match': etag })).status, 412);
    assert.equal((await api.call('GET', url)).json<ServiceResource>().port, 2);
  });
});
