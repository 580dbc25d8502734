/** Deletion of services and projects: asked for here, carried out by controllers, of which none runs in these tests. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page, ProjectResource, ServiceResource } from '../../../specs/resources.ts';
import { bearer, giveDeployment, giveService, giveUpload, testApi, type TestApi } from '../../support/api.ts';
import { promote } from '../../support/released.ts';

async function services(api: TestApi): Promise<[string, boolean][]> {
  const { items } = (await api.call('GET', '/v1/services')).json<Page<ServiceResource>>();
  return items.map(({ name, deleting }) => [name, deleting]);
}

describe('DELETE /v1/services/{id}', () => {
  it('marks it, and may be repeated until it is gone', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const url = `/v1/services/${service.id}`;
    const first = await api.call('DELETE', url);
    assert.equal(first.status, 202, first.text);
    assert.deepEqual(
      [first.json<ServiceResource>().deleting, first.json<ServiceResource>().generation],
      [true, 2],
    );
    const again = await api.call('DELETE', url);
    assert.deepEqual([again.status, again.json()], [202, first.json()]);
    assert.deepEqual((await api.call('GET', url)).json(), first.json());
    await api.store.write((writer) => writer.purge('Service', service.id));
    assert.equal((await api.call('DELETE', url)).status, 404);
  });

  it('is guarded by If-Match', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const url = `/v1/services/${service.id}`;
    const etag = String((await api.call('GET', url)).headers.etag);
    await api.call('PATCH', url, { port: 2 });
    assert.equal((await api.call('DELETE', url, undefined, { 'if-match': etag })).status, 412);
    assert.deepEqual(await services(api), [['web', false]]);
    const now = String((await api.call('GET', url)).headers.etag);
    assert.equal((await api.call('DELETE', url, undefined, { 'if-match': now })).status, 202);
  });

  it('frees the name at once', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    await api.call('DELETE', `/v1/services/${service.id}`);
    const next = await api.call('POST', '/v1/services', { project: 'shop', name: 'web', port: 1 });
    assert.equal(next.status, 201, next.text);
    assert.deepEqual(await services(api), [
      ['web', false],
      ['web', true],
    ]);
  });

  it('ends all other writes', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const { upload_id } = await giveUpload(api, service.id);
    const deployment = await giveDeployment(api, service.id);
    await promote(api, deployment);
    const url = `/v1/services/${service.id}`;
    await api.call('DELETE', url);
    const before = await api.store.get('Service', service.id);
    for (const [method, path, body] of [
      ['PATCH', url, { port: 2 }],
      ['PATCH', `${url}/secrets`, { set: { KEY: 'correct horse' } }],
      ['POST', '/v1/deployments', { service_id: service.id, upload_id }],
      ['POST', `/v1/deployments/${deployment.id}/stop`, {}],
      ['POST', `${url}/rollback`, { deployment_id: deployment.id }],
      ['POST', `${url}/stop`, {}],
      ['POST', `${url}/start`, {}],
      ['POST', `${url}/restart`, {}],
    ] as const) {
      const answer = await api.call(method, path, body);
      assert.equal(answer.status, 409, `${method} ${path}: ${answer.text}`);
      assert.match(answer.problem().detail, /service web is being deleted.*free for a new one/);
    }
    const { begun } = api.uploads;
    const upload = await api.app.inject({
      method: 'POST',
      url: `${url}/uploads`,
      headers: { ...bearer(api.token), 'content-type': 'application/zstd' },
      payload: Buffer.from('an archive'),
    });
    // Before a byte of it was taken.
    assert.deepEqual([upload.statusCode, begun.length], [409, 2], upload.payload);
    assert.deepEqual(await api.store.get('Service', service.id), before);
    assert.deepEqual(await api.store.vault.list(service.id, 'env'), []);
  });
});

describe('DELETE /v1/projects/{id}', () => {
  it('is refused while it owns services, and names them', async (t) => {
    const api = await testApi(t);
    const { project } = await giveService(api);
    for (const name of ['a', 'b', 'c'])
      await api.call('POST', '/v1/services', { project: 'shop', name, port: 1 });
    for (const query of ['', '?cascade=false']) {
      const answer = await api.call('DELETE', `/v1/projects/${project.id}${query}`);
      assert.deepEqual([answer.status, answer.problem().code], [409, 'conflict']);
      assert.match(answer.problem().detail, /shop owns services: c, b, a and 1 more\. .*\?cascade=true/);
    }
    assert.equal((await api.store.get('Project', project.id))?.deleted_at, null);
  });

  it('takes them along when asked to, all at once', async (t) => {
    const api = await testApi(t);
    await giveService(api);
    await api.call('POST', '/v1/services', { project: 'shop', name: 'api', port: 1 });
    const answer = await api.call('DELETE', '/v1/projects/shop?cascade=true');
    assert.equal(answer.status, 202, answer.text);
    assert.equal(answer.json<ProjectResource>().deleting, true);
    assert.deepEqual(await services(api), [
      ['api', true],
      ['web', true],
    ]);
    assert.equal((await api.call('DELETE', '/v1/projects/shop')).status, 202);
  });

  it('needs no cascade for services that are going already', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    await api.call('DELETE', `/v1/services/${service.id}`);
    assert.equal((await api.call('DELETE', '/v1/projects/shop')).status, 202);
  });

  it('leaves other projects alone, frees the name, and ends writes in it', async (t) => {
    const api = await testApi(t);
    const { project } = await giveService(api);
    await api.call('POST', '/v1/projects', { name: 'blog' });
    await api.call('POST', '/v1/services', { project: 'blog', name: 'web', port: 1 });
    await api.call('DELETE', `/v1/projects/${project.id}?cascade=true`);
    assert.deepEqual(await services(api), [
      ['web', false],
      ['web', true],
    ]);
    assert.equal((await api.call('POST', '/v1/projects', { name: 'shop' })).status, 201);
    for (const [url, body] of [
      ['/v1/services', { project: project.id, name: 'late', port: 1 }],
      [
        `/v1/projects/${project.id}/registries`,
        { server: 'ghcr.io', username: 'u', password: 'correct horse' },
      ],
      [`/v1/projects/${project.id}/deploy-key/generate`, {}],
    ] as const) {
      const answer = await api.call('POST', url, body);
      assert.deepEqual([answer.status, answer.problem().code], [409, 'conflict'], url);
    }
  });

  it('is guarded by If-Match, knows no other query, and answers 404 when there is none', async (t) => {
    const api = await testApi(t);
    await api.call('POST', '/v1/projects', { name: 'shop' });
    const stale = await api.call('DELETE', '/v1/projects/shop', undefined, { 'if-match': '"77"' });
    assert.equal(stale.status, 412);
    assert.equal((await api.call('DELETE', '/v1/projects/shop?casacde=true')).status, 422);
    assert.equal((await api.call('DELETE', '/v1/projects/shop?cascade=perhaps')).status, 422);
    assert.equal((await api.call('DELETE', '/v1/projects/none')).status, 404);
    assert.equal((await api.call('GET', '/v1/projects/shop')).json<ProjectResource>().deleting, false);
  });
});
