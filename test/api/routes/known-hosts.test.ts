import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { KnownHostResource, Page } from '../../../specs/resources.ts';
import { bearer, giveMember, giveService, testApi } from '../../support/api.ts';
import { aKnownHost, given } from '../../support/store.ts';

async function world(t: TestContext) {
  const api = await testApi(t);
  const { project } = await giveService(api);
  const row = aKnownHost({ owner: project.id });
  await given(api.store, row);
  return { api, project, row, url: `/v1/projects/${project.id}/known-hosts` };
}

describe('/v1/projects/{id}/known-hosts', () => {
  it('answers hosts with their keys and fingerprints', async (t) => {
    const { api, project, row, url } = await world(t);
    const one = await api.call('GET', `${url}/${row.id}`);
    const { id, created_at, updated_at } = row;
    const { host, lines: keys, fingerprints } = row.spec;
    assert.deepEqual(one.json(), {
      id,
      project_id: project.id,
      host,
      keys,
      fingerprints,
      created_at,
      updated_at,
    });
    const list = (await api.call('GET', '/v1/projects/shop/known-hosts')).json<Page<KnownHostResource>>();
    assert.deepEqual(list, { items: [one.json()], next_cursor: null });
  });

  it('are taken away once, of the version that was meant', async (t) => {
    const { api, row, url } = await world(t);
    assert.equal(
      (await api.call('DELETE', `${url}/${row.id}`, undefined, { 'if-match': '"9"' })).status,
      412,
    );
    assert.equal((await api.call('DELETE', `${url}/${row.id}`)).status, 204);
    assert.equal((await api.call('DELETE', `${url}/${row.id}`)).status, 404);
  });

  it('are reached through their own project only, and by Operators', async (t) => {
    const { api, project, row, url } = await world(t);
    await api.call('POST', '/v1/projects', { name: 'blog' });
    assert.equal((await api.call('GET', `/v1/projects/blog/known-hosts/${row.id}`)).status, 404);
    const viewer = bearer((await giveMember(api, 'vera', { [project.id]: 'Viewer' })).token);
    assert.equal((await api.call('GET', url, undefined, viewer)).status, 403);
    const stranger = bearer((await giveMember(api, 'otto')).token);
    assert.equal((await api.call('GET', url, undefined, stranger)).status, 404);
  });
});
