import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiToken, MintedApiToken } from '../../../specs/account.ts';
import { timestamp } from '../../../specs/meta.ts';
import type { Page } from '../../../specs/resources.ts';
import { bearer, giveMember, giveToken, giveUser, testApi } from '../../support/api.ts';

describe('/v1/api-tokens', () => {
  it('mints a token that is shown once and works until it is deleted', async (t) => {
    const api = await testApi(t);
    const minted = await api.call('POST', '/v1/api-tokens', { name: 'laptop' });
    assert.equal(minted.status, 201);
    const { token, ...rest } = minted.json<MintedApiToken>();
    assert.match(token, /^svc_api_[\w-]{43}$/);
    assert.deepEqual(
      { ...rest, id: '' },
      {
        ...{ id: '', name: 'laptop', project: null, role: null, expires_at: null, last_used_at: null },
        created_at: timestamp(api.clock.now()),
      },
    );

    const list = await api.call('GET', '/v1/api-tokens', undefined, bearer(token));
    assert.deepEqual(
      list
        .json<Page<ApiToken>>()
        .items.map(({ name }) => name)
        .sort(),
      ['laptop', 'test'],
    );
    assert.ok(!list.text.includes(token) && !list.text.includes('hash'));

    assert.equal((await api.call('DELETE', `/v1/api-tokens/${rest.id}`)).status, 204);
    assert.equal((await api.call('GET', '/v1/me', undefined, bearer(token))).status, 401);
    assert.equal((await api.call('DELETE', `/v1/api-tokens/${rest.id}`)).status, 404);
  });

  it('lists page by page', async (t) => {
    const api = await testApi(t);
    for (const name of ['a', 'b', 'c']) await api.call('POST', '/v1/api-tokens', { name });
    const names: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const answer = await api.call(
        'GET',
        `/v1/api-tokens?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      const page: Page<ApiToken> = answer.json();
      names.push(...page.items.map(({ name }) => name));
      cursor = page.next_cursor;
    }
    assert.deepEqual(names.sort(), ['a', 'b', 'c', 'test']);
  });

  it('takes a time to expire in the future only, in any zone', async (t) => {
    const api = await testApi(t);
    const past = await api.call('POST', '/v1/api-tokens', {
      name: 'x',
      expires_at: timestamp(api.clock.now()),
    });
    assert.deepEqual(past.problem().errors, [{ path: '/expires_at', message: 'is in the past' }]);
    const minted = await api.call('POST', '/v1/api-tokens', {
      name: 'x',
      expires_at: '2030-01-01T02:00:00+01:00',
    });
    assert.equal(minted.json<MintedApiToken>().expires_at, '2030-01-01T01:00:00.000Z');
  });

  it("knows no other user's tokens, and no sessions", async (t) => {
    const api = await testApi(t);
    const ann = await giveUser(api.accounts, api.clock, 'ann');
    const session = await giveToken(api.accounts, api.clock, ann, 'session');
    const [record] = await api.accounts.listTokens(ann, 'session');
    assert.equal((await api.call('DELETE', `/v1/api-tokens/${record?.id ?? ''}`)).status, 404);
    assert.equal(
      (await api.call('DELETE', `/v1/api-tokens/${record?.id ?? ''}`, undefined, bearer(session))).status,
      404,
    );
    assert.deepEqual((await api.call('GET', '/v1/api-tokens', undefined, bearer(session))).json(), {
      items: [],
      next_cursor: null,
    });
  });

  it('mints no token that would outlive the one that asks for it', async (t) => {
    const api = await testApi(t);
    const ann = await giveUser(api.accounts, api.clock, 'ann');
    const end = timestamp(api.clock.now() + 3_600_000);
    const short = bearer(await giveToken(api.accounts, api.clock, ann, 'api', end));
    const mint = (body: object) => api.call('POST', '/v1/api-tokens', { name: 'child', ...body }, short);
    assert.equal((await mint({})).json<MintedApiToken>().expires_at, end);
    assert.equal((await mint({ expires_at: end })).json<MintedApiToken>().expires_at, end);
    const later = await mint({ expires_at: timestamp(api.clock.now() + 3_600_001) });
    assert.deepEqual(later.problem().errors, [
      { path: '/expires_at', message: `is later than ${end}, when the token that asks for it expires` },
    ]);
    const session = bearer(await giveToken(api.accounts, api.clock, ann, 'session', end));
    const login = await api.call('POST', '/v1/api-tokens', { name: 'laptop' }, session);
    assert.equal(login.json<MintedApiToken>().expires_at, null, 'a login mints what lasts');
  });

  it('limits a token to a project that its owner reaches, and to no more than their role there', async (t) => {
    const api = await testApi(t);
    const [shop, other] = await Promise.all(
      ['shop', 'other'].map(async (name) =>
        (await api.call('POST', '/v1/projects', { name })).json<{ id: string }>(),
      ),
    );
    const { token } = await giveMember(api, 'ann', { [shop?.id ?? '']: 'Operator' });
    const mint = (limits: object) =>
      api.call('POST', '/v1/api-tokens', { name: 'ci', ...limits }, bearer(token));
    const minted = (await mint({ project: 'shop', role: 'Viewer' })).json<MintedApiToken>();
    assert.deepEqual([minted.project, minted.role], ['shop', 'Viewer']);
    assert.equal((await mint({ project: shop?.id })).json<MintedApiToken>().project, 'shop');
    const more = await mint({ project: 'shop', role: 'Admin', expires_at: '2000-01-01T00:00:00Z' });
    assert.deepEqual(more.problem().errors, [
      { path: '/expires_at', message: 'is in the past' },
      { path: '/role', message: 'is more than your own role there: write Viewer or Operator' },
    ]);
    for (const project of ['none', 'other', other?.id]) assert.equal((await mint({ project })).status, 404);
    assert.equal((await mint({ role: 'Owner' })).status, 422);
  });

  it('mints nothing for who lost the account while it was asked for', async (t) => {
    const api = await testApi(t);
    const { id, token } = await giveMember(api, 'ann');
    const create = api.accounts.createToken;
    t.mock.method(api.accounts, 'createToken', async (...args: Parameters<typeof create>) => {
      const at = timestamp(api.clock.now());
      await api.accounts.updateUser(id, { password_hash: 'another' }, { at, revoke: { kinds: 'all' } });
      return create(...args);
    });
    assert.equal((await api.call('POST', '/v1/api-tokens', { name: 'x' }, bearer(token))).status, 409);
    assert.deepEqual(await api.accounts.listTokens(id, 'api'), []);
  });
});
