import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { TokenRecord } from '../../../api/store/accounts.ts';
import type { Page, ProjectResource, ServiceResource } from '../../../specs/resources.ts';
import { bearer, giveMember, giveToken, testApi, type Method } from '../../support/api.ts';

const change = { replicas: 2 };

/** Two projects with a service each, and a user's token with these limits. */
async function scene(t: TestContext) {
  const api = await testApi(t);
  const make = async (name: string) => {
    const project = (await api.call('POST', '/v1/projects', { name })).json<ProjectResource>();
    const service = await api.call('POST', '/v1/services', { project: name, name: 'web', port: 3000 });
    return { project: project.id, service: service.json<ServiceResource>().id };
  };
  const [shop, blog] = [await make('shop'), await make('blog')];
  const root = (await api.accounts.findUser('root'))?.id ?? '';
  const limited = async (userId: string, limits: Partial<Pick<TokenRecord, 'project_id' | 'role'>>) => {
    const token = await giveToken(api.accounts, api.clock, userId, 'api', null, limits);
    return async (method: Method, url: string, body?: object) =>
      (await api.call(method, url, body, bearer(token))).status;
  };
  return { api, shop, blog, root, limited };
}

describe('a token limited to a project', () => {
  it('of a super-admin is an Admin there and nothing elsewhere', async (t) => {
    const { api, shop, blog, root, limited } = await scene(t);
    const as = await limited(root, { project_id: shop.project });
    assert.equal(await as('GET', '/v1/projects/shop/members'), 200);
    assert.equal(await as('PATCH', `/v1/services/${shop.service}`, change), 202);
    for (const url of ['/v1/projects/blog', `/v1/projects/${blog.project}`, `/v1/services/${blog.service}`])
      assert.equal(await as('GET', url), 404);
    for (const url of ['/v1/users', '/v1/users/root']) assert.equal(await as('GET', url), 403);
    assert.equal(await as('POST', '/v1/projects', { name: 'mine' }), 403);
    assert.equal(await as('DELETE', '/v1/projects/shop'), 403);
    const headers = bearer(
      await giveToken(api.accounts, api.clock, root, 'api', null, { project_id: shop.project }),
    );
    const seen = (await api.call('GET', '/v1/services', undefined, headers)).json<Page<ServiceResource>>();
    assert.deepEqual(
      seen.items.map(({ id }) => id),
      [shop.service],
    );
    const projects = (await api.call('GET', '/v1/projects', undefined, headers)).json<
      Page<ProjectResource>
    >();
    assert.deepEqual(
      projects.items.map(({ name }) => name),
      ['shop'],
    );
  });

  it('reaches nothing when its owner is no member of that project, or no longer', async (t) => {
    const { api, shop, blog, limited } = await scene(t);
    const { id } = await giveMember(api, 'ann', { [shop.project]: 'Operator' });
    const [there, elsewhere] = [
      await limited(id, { project_id: shop.project }),
      await limited(id, { project_id: blog.project }),
    ];
    assert.deepEqual(
      [await there('GET', '/v1/projects/shop'), await elsewhere('GET', '/v1/projects/blog')],
      [200, 404],
    );
    await api.call('DELETE', '/v1/projects/shop/members/ann');
    assert.equal(await there('GET', '/v1/projects/shop'), 404);
  });
});

describe('a token limited to a role', () => {
  it('of a super-admin has that role in every project', async (t) => {
    const { shop, blog, root, limited } = await scene(t);
    const as = await limited(root, { role: 'Operator' });
    for (const { service } of [shop, blog])
      assert.equal(await as('PATCH', `/v1/services/${service}`, change), 202);
    assert.equal(await as('GET', '/v1/projects/shop/members'), 403);
    assert.equal(await as('GET', '/v1/users'), 403);
  });

  it('never gives more than its owner may, whatever became of them', async (t) => {
    const { api, shop, limited } = await scene(t);
    const { id } = await giveMember(api, 'ann', { [shop.project]: 'Operator' });
    const [viewer, admin] = [await limited(id, { role: 'Viewer' }), await limited(id, { role: 'Admin' })];
    const service = `/v1/services/${shop.service}`;
    assert.deepEqual(
      [await viewer('PATCH', service, change), await admin('PATCH', service, change)],
      [403, 202],
    );
    assert.equal(await admin('GET', '/v1/projects/shop/members'), 403);
    await api.call('PUT', '/v1/projects/shop/members/ann', { role: 'Viewer' });
    assert.equal(await admin('PATCH', service, change), 403);
    await api.call('PUT', '/v1/projects/shop/members/ann', { role: 'Admin' });
    assert.deepEqual(
      [await viewer('PATCH', service, change), await admin('GET', '/v1/projects/shop/members')],
      [403, 200],
    );
  });

  it('may revoke itself, and no other', async (t) => {
    const { api, root, limited } = await scene(t);
    const as = await limited(root, { role: 'Viewer' });
    const tokens = await api.accounts.listTokens(root, 'api');
    const own = tokens.find(({ role }) => role === 'Viewer')?.id ?? '';
    const others = tokens.filter(({ id }) => id !== own);
    assert.ok(others.length > 0);
    for (const id of [...others.map((other) => other.id), 'tok_none'])
      assert.equal(await as('DELETE', `/v1/api-tokens/${id}`), 403);
    assert.deepEqual((await api.accounts.listTokens(root, 'api')).length, tokens.length);
    assert.equal(await as('DELETE', `/v1/api-tokens/${own}`), 204);
    assert.equal(await as('GET', '/v1/me'), 401);
  });

  it('is refused where the whole account is meant, and may still ask who it is', async (t) => {
    const { root, limited } = await scene(t);
    for (const limits of [{ role: 'Admin' }, { project_id: 'prj_00000000000000000000000000' }] as const) {
      const as = await limited(root, limits);
      assert.equal(await as('GET', '/v1/me'), 200);
      assert.equal(await as('GET', '/v1/api-tokens'), 403);
      assert.equal(await as('POST', '/v1/api-tokens', { name: 'wider' }), 403);
      assert.equal(
        await as('PUT', '/v1/me/password', { current_password: 'x', password: 'battery staple' }),
        403,
      );
    }
  });
});
