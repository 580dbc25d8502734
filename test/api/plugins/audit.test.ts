import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AuditEntry } from '../../../specs/audit.ts';
import type { Page } from '../../../specs/resources.ts';
import {
  bearer,
  giveDeployment,
  giveMember,
  giveService,
  giveToken,
  giveUpload,
  testApi,
  type TestApi,
} from '../../support/api.ts';

/** What was written since the last call that created the world, oldest first. */
async function entries(api: TestApi): Promise<AuditEntry[]> {
  return (await api.store.audit.list()).reverse();
}

async function last(api: TestApi): Promise<AuditEntry> {
  const [entry] = await api.store.audit.list({ limit: 1 });
  assert.ok(entry);
  return entry;
}

describe('the audit', () => {
  it('says who did what, to what and from where, before the answer leaves', async (t) => {
    const api = await testApi(t);
    const { project, service } = await giveService(api);
    const [root] = await api.accounts.listUsers();
    const body = { port: 81, env: { LOG_LEVEL: 'canary' } };
    await api.call('PATCH', `/v1/services/${service.id}`, body, { 'x-request-id': 'change-1' });
    const { id, token_id, ...entry } = await last(api);
    assert.match(id, /^aud_/);
    assert.match(String(token_id), /^tok_/);
    assert.deepEqual(entry, {
      ...{ at: '2030-01-01T00:00:00.000Z', token_kind: 'api', user_id: root?.id, username: 'root' },
      ...{ address: '127.0.0.1', method: 'PATCH', route: '/v1/services/{id}', project_id: project.id },
      ...{
        object: service.id,
        object_name: 'shop/web',
        fields: ['env.LOG_LEVEL', 'port'],
        status: 202,
        code: null,
      },
      ...{ detail: null, request_id: 'change-1', count: 1 },
    });
  });

  it('names what was created', async (t) => {
    const api = await testApi(t);
    const { project, service } = await giveService(api);
    const { upload_id } = await giveUpload(api, service.id);
    const written = (await entries(api)).map(({ route, object, project_id }) => [route, object, project_id]);
    assert.deepEqual(written, [
      ['/v1/projects', project.id, project.id],
      ['/v1/services', service.id, project.id],
      ['/v1/services/{id}/uploads', upload_id, project.id],
    ]);
  });

  it('keeps the names of what is gone', async (t) => {
    const api = await testApi(t);
    const { project, service } = await giveService(api);
    const { id } = await giveMember(api, 'ann', { [project.id]: 'Viewer' });
    const minted = (await api.call('POST', '/v1/api-tokens', { name: 'ci' })).json<{ id: string }>();
    const registry = { server: 'ghcr.io', username: 'bot', password: 'a long password' };
    const { id: registryId } = (await api.call('POST', '/v1/projects/shop/registries', registry)).json<{
      id: string;
    }>();
    const job = { project: 'shop', name: 'nightly', image: 'busybox' };
    const { id: jobId } = (await api.call('POST', '/v1/jobs', job)).json<{ id: string }>();
    const before = (await entries(api)).length;
    for (const url of [
      `/v1/projects/shop/members/${id}`,
      `/v1/users/${id}`,
      `/v1/api-tokens/${minted.id}`,
      `/v1/projects/${project.id}/registries/${registryId}`,
      `/v1/jobs/${jobId}`,
      `/v1/services/${service.id}`,
      `/v1/projects/${project.id}`,
      '/v1/services/svc_none',
    ])
      await api.call('DELETE', url);
    const written = await entries(api);
    assert.deepEqual(
      written.slice(before).map(({ object_name }) => object_name),
      ['shop/ann', 'ann', 'ci', 'shop/ghcr.io', 'shop/nightly', 'shop/web', 'shop', null],
    );
    const created = written.slice(0, before).map(({ object_name }) => object_name);
    assert.deepEqual(created, ['shop', 'shop/web', 'ci', 'shop/ghcr.io', 'shop/nightly']);
  });

  it('names a deployment by its number, also the request for it', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const deployment = await giveDeployment(api, service.id);
    await api.call('POST', `/v1/deployments/${deployment.id}/stop`);
    const names = (await entries(api)).map(({ route, object_name }) => [route, object_name]);
    assert.deepEqual(names.slice(-2), [
      ['/v1/deployments', 'shop/web/1'],
      ['/v1/deployments/{id}/stop', 'shop/web/1'],
    ]);
  });

  it('has every refused write, and why', async (t) => {
    const api = await testApi(t);
    const { project, service } = await giveService(api);
    const viewer = bearer((await giveMember(api, 'ann', { [project.id]: 'Viewer' })).token);
    const before = (await entries(api)).length;
    await api.call('POST', '/v1/projects', { name: 'shop' });
    await api.call('POST', '/v1/projects', { nme: 'shop' });
    await api.call('POST', `/v1/services/${service.id}/stop`, {}, viewer);
    await api.call('DELETE', '/v1/services/svc_none', undefined, viewer);
    await api.call('POST', '/v1/projects', { name: 'mine' }, bearer('svc_api_wrong'));
    await api.call('PUT', '/v1/nothing', undefined, viewer);
    await api.app.inject({ method: 'POST', url: '/v1/projects', headers: bearer(api.token), payload: 'x' });
    await api.call('POST', '/v1/services/%zz/stop', {});
    await api.call('POST', `/v1/services/${'x'.repeat(500)}/stop`, {});
    const refused = (await entries(api)).slice(before);
    assert.deepEqual(
      refused.map(({ username, route, object, status, code }) => [username, route, object, status, code]),
      [
        ['root', '/v1/projects', null, 409, 'conflict'],
        ['root', '/v1/projects', null, 422, 'invalid'],
        ['ann', '/v1/services/{id}/stop', service.id, 403, 'forbidden'],
        ['ann', '/v1/services/{id}', 'svc_none', 404, 'not_found'],
        [null, '/v1/projects', null, 401, 'unauthenticated'],
        ['ann', '/v1/nothing', null, 404, 'not_found'],
        ['root', '/v1/projects', null, 415, 'unsupported_media_type'],
        [null, '/v1/services/{id}/stop', null, 400, 'bad_request'],
        ['root', '/v1/services/{id}/stop', null, 404, 'not_found'],
      ],
    );
  });

  it('has no reads', async (t) => {
    const api = await testApi(t);
    for (const url of ['/v1/me', '/v1/projects', '/v1/projects/none', '/healthz', '/openapi.json'])
      await api.call('GET', url);
    assert.deepEqual(await entries(api), []);
  });

  it('names who fails to log in only if there is such a user', async (t) => {
    const api = await testApi(t);
    const [root] = await api.accounts.listUsers();
    await api.call('POST', '/v1/auth/login', { username: 'root', password: 'wrong' });
    await api.call('POST', '/v1/auth/login', { username: 'a password typed as a name', password: 'wrong' });
    assert.deepEqual(
      (await entries(api)).map(({ username, user_id, status }) => [username, user_id, status]),
      [
        ['root', root?.id, 401],
        [null, null, 401],
      ],
    );
  });

  it('never has a value in it', async (t) => {
    const api = await testApi(t);
    const { project, service } = await giveService(api);
    const canary = 'canary-7f3a';
    const typo = { [canary]: canary, name: canary.toUpperCase(), port: canary };
    await api.call('POST', '/v1/users', { username: 'ann', password: `${canary} ${canary}` });
    await api.call('PATCH', `/v1/services/${service.id}/secrets`, { set: { KEY: canary } });
    await api.call('POST', `/v1/projects/${project.id}/registries`, {
      ...{ server: 'ghcr.io', username: 'bot', password: canary },
    });
    await api.call('POST', '/v1/services', { project: 'shop', ...typo });
    await api.call('POST', `/v1/projects?${canary}`, typo);
    await api.call('POST', `/v1/nothing/svc_api_${canary}`, typo);
    await api.call('DELETE', `/v1/api-tokens/svc_api_${canary}`);
    const written = await entries(api);
    assert.equal(written.length, 9);
    assert.ok(!JSON.stringify(written).toLowerCase().includes(canary));
    assert.deepEqual(written.find(({ route }) => route.endsWith('/secrets'))?.fields, ['set.KEY']);
  });

  it('does not hold up a write that it cannot write down, and the log says so', async (t) => {
    const api = await testApi(t);
    api.store.audit.append = () => Promise.reject(new Error('the disk is full'));
    assert.equal((await api.call('POST', '/v1/projects', { name: 'shop' })).status, 201);
    assert.match(api.log(), /"level":50.*the disk is full/);
  });

  it('is on the disk for what was done, and lazy for what was refused', async (t) => {
    const api = await testApi(t);
    const { append } = api.store.audit;
    const lazy: unknown[] = [];
    api.store.audit.append = (entry, options) => {
      lazy.push(options?.lazy);
      return append(entry, options);
    };
    await api.call('POST', '/v1/projects', { name: 'shop' });
    await api.call('POST', '/v1/projects', { name: 'shop' });
    assert.deepEqual(lazy, [false, true]);
  });

  it('is not filled by strangers', async (t) => {
    const api = await testApi(t);
    const stranger = () => api.call('POST', '/v1/projects', {}, bearer('none'));
    for (let i = 0; i < 100; i++) await stranger();
    assert.equal((await entries(api)).length, 60);
    await api.clock.advance(60_000);
    assert.deepEqual(
      (await entries(api)).slice(60).map(({ count, status, route }) => [count, status, route]),
      [[40, 401, '/v1/projects']],
    );
    for (let i = 0; i < 65; i++) await stranger();
    await api.app.close();
    assert.equal((await last(api)).count, 5);
  });

  it('is not filled by a member who is refused again and again, and has all that is done', async (t) => {
    const api = await testApi(t);
    const { project, service } = await giveService(api);
    const ann = await giveMember(api, 'ann', { [project.id]: 'Viewer' });
    const bob = await giveMember(api, 'bob', { [project.id]: 'Operator' });
    const before = (await entries(api)).length;
    const url = `/v1/services/${service.id}`;
    for (let i = 0; i < 100; i++) await api.call('DELETE', url, undefined, bearer(ann.token));
    for (let i = 0; i < 70; i++) await api.call('PATCH', url, { replicas: 1 }, bearer(bob.token));
    await api.clock.advance(60_000);
    const written = (await entries(api)).slice(before);
    assert.equal(written.length, 60 + 70 + 1);
    assert.deepEqual(
      written.filter(({ count }) => count > 1).map(({ username, code, count }) => [username, code, count]),
      [['ann', 'forbidden', 40]],
    );
  });
});

describe('GET /v1/audit', () => {
  it('is for super-admins', async (t) => {
    const api = await testApi(t);
    const { project } = await giveService(api);
    const { token } = await giveMember(api, 'ann', { [project.id]: 'Admin' });
    assert.equal((await api.call('GET', '/v1/audit', undefined, bearer(token))).status, 403);
    assert.equal((await api.call('GET', '/v1/audit')).status, 200);
  });

  it('filters by user, project, time and result, page by page', async (t) => {
    const api = await testApi(t);
    const { project } = await giveService(api);
    const { id, token } = await giveMember(api, 'ann', { [project.id]: 'Operator' });
    await api.clock.advance(60_000);
    const body = { project: 'shop', name: 'api', port: 80 };
    await api.call('POST', '/v1/services', body, bearer(token));
    await api.call('POST', '/v1/services', body, bearer(token));
    const count = async (query: string) => {
      const answer = await api.call('GET', `/v1/audit?${query}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.json<Page<AuditEntry>>().items.length;
    };
    assert.equal(await count(''), 4);
    assert.equal(await count('user=ann'), 2);
    assert.equal(await count(`user=${id}`), 2);
    assert.equal(await count('user=nobody'), 0);
    assert.equal(await count(`project=${project.id}&result=done`), 3);
    assert.equal(await count('project=shop&result=refused'), 1);
    assert.equal(await count('project=none'), 0);
    assert.equal(await count('since=2030-01-01T00:01:00Z'), 2);
    assert.equal(await count('since=2030-01-01T01:01:00%2B01:00'), 2);
    assert.equal(await count('until=2030-01-01T00:01:00Z'), 2);
    const first = (await api.call('GET', '/v1/audit?limit=3')).json<Page<AuditEntry>>();
    const rest = (await api.call('GET', `/v1/audit?limit=3&cursor=${String(first.next_cursor)}`)).json<
      Page<AuditEntry>
    >();
    const all = [...first.items, ...rest.items].map((entry) => entry.id);
    assert.deepEqual(
      all,
      (await api.store.audit.list()).map((entry) => entry.id),
    );
    assert.equal(rest.next_cursor, null);
  });

  it('still finds what a user did who is gone', async (t) => {
    const api = await testApi(t);
    const { id, token } = await giveMember(api, 'ann');
    await api.call('POST', '/v1/projects', { name: 'mine' }, bearer(token));
    await giveToken(api.accounts, api.clock, id, 'session');
    await api.call('DELETE', '/v1/users/ann');
    const found = (await api.call('GET', `/v1/audit?user=${id}`)).json<Page<AuditEntry>>();
    assert.deepEqual(
      found.items.map(({ username, code }) => [username, code]),
      [['ann', 'forbidden']],
    );
    const named = (await api.call('GET', '/v1/audit?user=ann')).json<Page<AuditEntry>>();
    assert.deepEqual(named.items, found.items);
  });
});
