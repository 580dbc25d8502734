import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timestamp } from '../../../specs/meta.ts';
import type { Page, ProjectResource, UploadResource } from '../../../specs/resources.ts';
import { bearer, giveMember, giveService, testApi, type Answer, type TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';

const key = { 'idempotency-key': 'first' };

async function projects(api: TestApi): Promise<string[]> {
  const { items } = (await api.call('GET', '/v1/projects')).json<Page<ProjectResource>>();
  return items.map(({ name }) => name);
}

async function upload(api: TestApi, serviceId: string, archive: string, headers = {}): Promise<Answer> {
  const response = await api.app.inject({
    method: 'POST',
    url: `/v1/services/${serviceId}/uploads`,
    headers: { ...bearer(api.token), 'content-type': 'application/zstd', ...headers },
    payload: Buffer.from(archive),
  });
  return Object.assign(response, {
    ...{ status: response.statusCode, text: response.payload },
    problem: () => response.json<{ code: string }>(),
  }) as Answer;
}

describe('an Idempotency-Key', () => {
  it('answers the first result again, and nothing is done twice', async (t) => {
    const api = await testApi(t);
    const first = await api.call('POST', '/v1/projects', { name: 'shop' }, key);
    const again = await api.call('POST', '/v1/projects', { name: 'shop' }, key);
    assert.deepEqual([first.status, again.status], [201, 201]);
    assert.equal(again.text, first.text);
    assert.equal(again.headers['etag'], first.headers['etag']);
    assert.equal(again.headers['content-type'], first.headers['content-type']);
    assert.deepEqual(
      [first.headers['idempotent-replayed'], again.headers['idempotent-replayed']],
      [undefined, 'true'],
    );
    assert.deepEqual(await projects(api), ['shop']);
  });

  it('counts members of the body, not how they are written', async (t) => {
    const api = await testApi(t);
    await giveService(api);
    const send = async (payload: string) => {
      const headers = { ...bearer(api.token), ...key, 'content-type': 'application/json' };
      const response = await api.app.inject({ method: 'POST', url: '/v1/services', headers, payload });
      return response.json<{ id: string }>().id;
    };
    const first = await send('{"project":"shop","name":"api","port":80}');
    assert.equal(await send('{ "port": 80, "name": "api", "project": "shop" }'), first);
  });

  it('is refused for another body, and for another route', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    await api.call('POST', '/v1/projects', { name: 'one' }, key);
    for (const [url, body] of [
      ['/v1/projects', { name: 'two' }],
      ['/v1/projects?', { name: 'two' }],
      [`/v1/services/${service.id}/stop`, {}],
    ] as const) {
      const answer = await api.call('POST', url, body, key);
      assert.deepEqual([answer.status, answer.problem().code], [422, 'invalid'], url);
    }
    assert.deepEqual(await projects(api), ['one', 'shop']);
  });

  it('belongs to who sent it', async (t) => {
    const api = await testApi(t);
    const { project } = await giveService(api);
    const body = { project: 'shop', name: 'api', port: 80 };
    const { token } = await giveMember(api, 'ann', { [project.id]: 'Operator' });
    const mine = await api.call('POST', '/v1/services', body, key);
    const hers = await api.call(
      'POST',
      '/v1/services',
      { ...body, name: 'job' },
      { ...key, ...bearer(token) },
    );
    assert.deepEqual([mine.status, hers.status], [201, 201]);
    assert.equal(hers.headers['idempotent-replayed'], undefined);
  });

  it('is worth nothing to who lost the right since', async (t) => {
    const api = await testApi(t);
    const { project } = await giveService(api);
    const { id, token } = await giveMember(api, 'ann', { [project.id]: 'Operator' });
    const body = { project: 'shop', name: 'api', port: 80 };
    const send = () => api.call('POST', '/v1/services', body, { ...key, ...bearer(token) });
    assert.equal((await send()).status, 201);
    await api.accounts.putMember({ project_id: project.id, user_id: id, role: 'Viewer', at: timestamp(0) });
    assert.equal((await send()).status, 403);
  });

  it('is given back by a request that was refused', async (t) => {
    const api = await testApi(t);
    const body = { project: 'shop', name: 'web', port: 80 };
    assert.equal((await api.call('POST', '/v1/services', body, key)).status, 404);
    await api.call('POST', '/v1/projects', { name: 'shop' });
    assert.equal((await api.call('POST', '/v1/services', { ...body, port: 0 }, key)).status, 422);
    const reserved = await api.call('POST', '/v1/services', { ...body, env: { PORT: '1' } }, key);
    assert.equal(reserved.status, 422);
    assert.equal((await api.call('POST', '/v1/services', body, key)).status, 201);
  });

  it('is given back by a request that failed', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const { write } = api.store;
    api.store.write = () => Promise.reject(new Error('the disk is gone'));
    assert.equal((await api.call('POST', `/v1/services/${service.id}/stop`, {}, key)).status, 500);
    api.store.write = write;
    assert.equal((await api.call('POST', `/v1/services/${service.id}/stop`, {}, key)).status, 202);
  });

  it('makes the second of two at the same time wait for the first', async (t) => {
    const api = await testApi(t);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => api.call('POST', '/v1/projects', { name: 'shop' }, key)),
    );
    assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
    assert.equal(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length, 4);
    assert.deepEqual(await projects(api), ['shop']);
  });

  it('is refused, to be tried again, while the first takes long', async (t) => {
    const api = await testApi(t);
    const { write } = api.store;
    const { promise: go, resolve: goOn } = Promise.withResolvers<void>();
    api.store.write = async (work, options) => {
      await go;
      return write(work, options);
    };
    const first = api.call('POST', '/v1/projects', { name: 'shop' }, key);
    const second = api.call('POST', '/v1/projects', { name: 'shop' }, key);
    await eventually(() => api.clock.pending > 0);
    await api.clock.advance(5_000);
    const refused = await second;
    assert.deepEqual([refused.status, refused.problem().code], [409, 'conflict']);
    assert.equal(refused.headers['retry-after'], '1');
    goOn();
    assert.equal((await first).status, 201);
    // The minute in which refusals are counted for the audit, and nothing else.
    assert.equal(api.clock.pending, 1);
  });

  it('is refused for good when the node went down before it could keep the answer', async (t) => {
    const api = await testApi(t);
    api.store.idempotency.finish = () => Promise.reject(new Error('the node goes down'));
    assert.equal((await api.call('POST', '/v1/projects', { name: 'shop' }, key)).status, 201);
    assert.match(api.log(), /"level":50.*the node goes down/);
    const again = await api.call('POST', '/v1/projects', { name: 'shop' }, key);
    assert.deepEqual([again.status, again.problem().code], [409, 'conflict']);
    assert.match(again.problem().detail, /may have carried it out/);
    assert.deepEqual(await projects(api), ['shop']);
  });

  it('is known again after the node key was rotated', async (t) => {
    const api = await testApi(t);
    const first = await api.call('POST', '/v1/api-tokens', { name: 'ci' }, key);
    assert.equal((await api.call('POST', '/v1/node/rotate-key')).status, 200);
    const again = await api.call('POST', '/v1/api-tokens', { name: 'ci' }, key);
    assert.deepEqual([again.status, again.text], [201, first.text]);
    const other = await api.call('POST', '/v1/api-tokens', { name: 'another' }, key);
    assert.equal(other.status, 422);
    assert.match(other.problem().detail, /used for another request/);
  });

  it('covers an answer that is shown once', async (t) => {
    const api = await testApi(t);
    const first = await api.call('POST', '/v1/api-tokens', { name: 'ci' }, key);
    const again = await api.call('POST', '/v1/api-tokens', { name: 'ci' }, key);
    assert.equal(again.json<{ token: string }>().token, first.json<{ token: string }>().token);
    assert.ok(!api.log().includes(first.json<{ token: string }>().token));
  });

  for (const given of ['', 'a b', 'x'.repeat(256), 'ü', 'a, b', '\u007f']) {
    it(`may not be ${JSON.stringify(given.slice(0, 8))}`, async (t) => {
      const api = await testApi(t);
      const answer = await api.call('POST', '/v1/projects', { name: 'shop' }, { 'idempotency-key': given });
      assert.deepEqual([answer.status, answer.problem().code], [400, 'bad_request']);
      assert.deepEqual(await projects(api), []);
    });
  }

  it('is passed over where nothing is created, and at the login', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const login = { username: 'nobody', password: 'nothing' };
    for (let i = 0; i < 2; i++) {
      assert.equal((await api.call('GET', '/v1/me', undefined, key)).status, 200);
      assert.equal((await api.call('POST', '/v1/auth/login', login, key)).status, 401);
      const changed = await api.call('PATCH', `/v1/services/${service.id}`, { port: 80 + i }, key);
      assert.equal(changed.json<{ port: number }>().port, 80 + i);
    }
  });
});

describe('an Idempotency-Key of an upload', () => {
  it('answers the first result to the same archive, and throws the second copy away', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    const first = await upload(api, service.id, 'an archive', key);
    const again = await upload(api, service.id, 'an archive', key);
    assert.deepEqual([first.status, again.status, again.text], [201, 201, first.text]);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    const { upload_id } = first.json<UploadResource>();
    assert.deepEqual([...api.uploads.staged.keys()], [upload_id]);
    assert.equal((await api.store.list('Upload')).length, 1);
  });

  it('is refused for another archive, of which nothing stays', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    await upload(api, service.id, 'an archive', key);
    assert.equal((await upload(api, service.id, 'another', key)).status, 422);
    assert.equal(api.uploads.staged.size, 1);
  });

  it('is given back by an archive that was refused', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    api.uploads.check = () => assert.fail('no archive');
    assert.equal((await upload(api, service.id, 'broken', key)).status, 500);
    api.uploads.check = () => undefined;
    assert.equal((await upload(api, service.id, 'an archive', key)).status, 201);
  });

  it('is not needed: without one the same archive is staged twice', async (t) => {
    const api = await testApi(t);
    const { service } = await giveService(api);
    await upload(api, service.id, 'an archive');
    await upload(api, service.id, 'an archive');
    assert.equal(api.uploads.staged.size, 2);
  });
});
