import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Page, RegistryResource } from '../../../specs/resources.ts';
import { bearer, giveMember, giveService, testApi } from '../../support/api.ts';

const password = 'correct horse battery';
const ghcr = { server: 'ghcr.io', username: 'shop-bot', password };

async function given(t: TestContext) {
  const api = await testApi(t);
  const { project } = await giveService(api);
  const url = `/v1/projects/${project.id}/registries`;
  return { api, project, url, add: (body: object) => api.call('POST', url, body) };
}

describe('/v1/projects/{id}/registries', () => {
  it('takes a password, seals it, and never shows it again', async (t) => {
    const { api, project, url, add } = await given(t);
    const made = await add(ghcr);
    assert.equal(made.status, 201, made.text);
    const registry = made.json<RegistryResource>();
    const { id, created_at, updated_at } = registry;
    assert.match(id, /^reg_/);
    assert.deepEqual(registry, {
      ...{ id, project_id: project.id, server: 'ghcr.io', username: 'shop-bot', created_at, updated_at },
    });
    const ref = { kind: 'registry-password', owner: id, name: '', version: 1 } as const;
    assert.equal(await api.store.vault.open(ref), password);
    const one = await api.call('GET', `${url}/${id}`);
    assert.deepEqual([one.json(), one.headers.etag], [registry, made.headers.etag]);
    const list = await api.call('GET', `/v1/projects/shop/registries`);
    assert.deepEqual(list.json(), { items: [registry], next_cursor: null });
    assert.equal([made.text, one.text, list.text, api.log()].join().includes(password), false);
    assert.deepEqual(api.store.vault.secretsOf(project.id), [password]);
  });

  it('lists newest first, page by page', async (t) => {
    const { api, url, add } = await given(t);
    for (const server of ['a.example', 'b.example', 'c.example']) await add({ ...ghcr, server });
    const first = (await api.call('GET', `${url}?limit=2`)).json<Page<RegistryResource>>();
    const rest = await api.call('GET', `${url}?limit=2&cursor=${first.next_cursor ?? ''}`);
    const servers = [...first.items, ...rest.json<Page<RegistryResource>>().items].map(
      ({ server }) => server,
    );
    assert.deepEqual(servers, ['c.example', 'b.example', 'a.example']);
  });

  it('has one per server and project', async (t) => {
    const { api, add } = await given(t);
    await add(ghcr);
    const again = await add({ ...ghcr, username: 'other' });
    assert.equal(again.status, 409);
    assert.match(again.problem().detail, /pulls from ghcr\.io already, as shop-bot\. Remove/);
    await api.call('POST', '/v1/projects', { name: 'blog' });
    assert.equal((await api.call('POST', '/v1/projects/blog/registries', ghcr)).status, 201);
  });

  for (const [what, fields, path] of [
    ['a URL', { server: 'https://ghcr.io' }, '/server'],
    ['a path', { server: 'ghcr.io/shop' }, '/server'],
    ['upper case', { server: 'GHCR.io' }, '/server'],
    ['an empty label', { server: 'a..io' }, '/server'],
    ['a port that is none', { server: 'ghcr.io:65536' }, '/server'],
    ['a name that moves the cursor', { username: 'a\u001b[2J' }, '/username'],
    ['no name', { username: '' }, '/username'],
    ['a password too short to keep out of logs', { password: 'abc' }, '/password'],
    ['a password with a null character', { password: `${password}\0` }, '/password'],
    ['a misspelt field', { passwort: 'x' }, '/passwort'],
  ] as const) {
    it(`refuses ${what}`, async (t) => {
      const { api, add } = await given(t);
      const answer = await add({ ...ghcr, ...fields });
      assert.equal(answer.status, 422, answer.text);
      assert.deepEqual(
        answer.problem().errors?.map((error) => error.path),
        [path],
      );
      assert.deepEqual(await api.store.list('Registry'), []);
      assert.equal(answer.text.includes(password), false);
    });
  }

  it('goes with its password, and may be made again', async (t) => {
    const { api, project, url, add } = await given(t);
    const made = await add(ghcr);
    const { id } = made.json<RegistryResource>();
    assert.equal((await api.call('DELETE', `${url}/${id}`, undefined, { 'if-match': '"9"' })).status, 412);
    const etag = String(made.headers.etag);
    assert.equal((await api.call('DELETE', `${url}/${id}`, undefined, { 'if-match': etag })).status, 204);
    assert.deepEqual(await api.store.vault.list(id, 'registry-password'), []);
    assert.deepEqual(api.store.vault.secretsOf(project.id), []);
    for (const method of ['GET', 'DELETE'] as const)
      assert.equal((await api.call(method, `${url}/${id}`)).status, 404);
    assert.equal((await add(ghcr)).status, 201);
  });

  it('is reached through its own project only, and by Operators', async (t) => {
    const { api, project, url, add } = await given(t);
    const { id } = (await add(ghcr)).json<RegistryResource>();
    await api.call('POST', '/v1/projects', { name: 'blog' });
    for (const method of ['GET', 'DELETE'] as const)
      assert.equal((await api.call(method, `/v1/projects/blog/registries/${id}`)).status, 404);
    const viewer = bearer((await giveMember(api, 'vera', { [project.id]: 'Viewer' })).token);
    assert.equal((await api.call('GET', url, undefined, viewer)).status, 403);
    assert.equal((await api.call('DELETE', `${url}/${id}`, undefined, viewer)).status, 403);
    const operator = bearer((await giveMember(api, 'otto', { [project.id]: 'Operator' })).token);
    assert.equal((await api.call('DELETE', `${url}/${id}`, undefined, operator)).status, 204);
  });
});
