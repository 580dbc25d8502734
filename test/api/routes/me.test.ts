import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Me } from '../../../specs/account.ts';
import { timestamp } from '../../../specs/meta.ts';
import type { ProjectResource } from '../../../specs/resources.ts';
import { bearer, giveMember, giveToken, giveUser, hashOf, testApi, type TestApi } from '../../support/api.ts';

async function projects(api: TestApi, ...names: string[]): Promise<string[]> {
  const made = await Promise.all(names.map((name) => api.call('POST', '/v1/projects', { name })));
  return made.map((answer) => answer.json<ProjectResource>().id);
}

describe('GET /v1/me', () => {
  it('says what the token is and what it reaches', async (t) => {
    const api = await testApi(t);
    const [shop = '', blog = ''] = await projects(api, 'shop', 'blog', 'other');
    const { id } = await giveMember(api, 'ann', { [shop]: 'Admin', [blog]: 'Viewer' });
    const me = async (
      ...given: Parameters<typeof giveToken> extends [unknown, unknown, unknown, ...infer R] ? R : never
    ) =>
      (
        await api.call(
          'GET',
          '/v1/me',
          undefined,
          bearer(await giveToken(api.accounts, api.clock, id, ...given)),
        )
      ).json<Me>();

    const whole = await me('session');
    assert.deepEqual([whole.kind, whole.user?.username, whole.super_admin], ['session', 'ann', false]);
    assert.deepEqual(whole.projects, [
      { id: blog, name: 'blog', role: 'Viewer' },
      { id: shop, name: 'shop', role: 'Admin' },
    ]);
    const limited = await me('api', null, { project_id: shop, role: 'Operator' });
    assert.deepEqual([limited.token?.project, limited.token?.role], ['shop', 'Operator']);
    assert.deepEqual(limited.projects, [{ id: shop, name: 'shop', role: 'Operator' }]);
    const byRole = await me('api', null, { role: 'Operator' });
    assert.deepEqual(
      byRole.projects.map(({ role }) => role),
      ['Viewer', 'Operator'],
    );
    const elsewhere = await me('api', null, { project_id: 'prj_00000000000000000000000000' });
    assert.deepEqual([elsewhere.token?.project, elsewhere.projects], ['prj_00000000000000000000000000', []]);
  });

  it('never shows a hash', async (t) => {
    const api = await testApi(t);
    const answer = await api.call('GET', '/v1/me');
    assert.ok(answer.status === 200 && !/hash|argon/.test(answer.text));
  });
});

describe('PUT /v1/me/password', () => {
  const [old, next] = ['correct horse', 'battery staple'];

  async function ann(t: TestContext) {
    const api = await testApi(t);
    const password_hash = await hashOf(old);
    const id = await giveUser(api.accounts, api.clock, 'ann', { password_hash, super_admin: false });
    const give = (kind: 'session' | 'api') => giveToken(api.accounts, api.clock, id, kind);
    const [own, other, token] = [await give('session'), await give('session'), await give('api')];
    const change = (body: object, as = own) => api.call('PUT', '/v1/me/password', body, bearer(as));
    const works = async (one: string) =>
      (await api.call('GET', '/v1/me', undefined, bearer(one))).status === 200;
    const login = async (password: string) =>
      (await api.call('POST', '/v1/auth/login', { username: 'ann', password })).status;
    return { api, id, own, other, token, change, works, login };
  }

  it('changes the password and ends the other sessions', async (t) => {
    const { own, other, token, change, works, login } = await ann(t);
    const answer = await change({ current_password: old, password: next });
    assert.deepEqual([answer.status, answer.text], [204, '']);
    assert.deepEqual([await works(own), await works(other), await works(token)], [true, false, true]);
    assert.deepEqual([await login(old), await login(next)], [401, 200]);
  });

  it('ends the API tokens as well, on demand', async (t) => {
    const { own, other, token, change, works } = await ann(t);
    assert.equal((await change({ current_password: old, password: next, revoke_tokens: true })).status, 204);
    assert.deepEqual([await works(own), await works(other), await works(token)], [true, false, false]);
  });

  it('takes the current password, and a good new one, and says all that is wrong', async (t) => {
    const { api, id, other, change, works } = await ann(t);
    const before = (await api.accounts.getUser(id))?.password_hash;
    const both = await change({ current_password: 'wrong horse', password: 'qwertyuiop' });
    assert.deepEqual(both.problem().errors, [
      { path: '/current_password', message: 'is wrong' },
      { path: '/password', message: 'is one of the most common passwords' },
    ]);
    assert.equal((await change({ current_password: old, password: 'too short' })).status, 422);
    assert.equal((await api.accounts.getUser(id))?.password_hash, before);
    assert.equal(await works(other), true);
  });

  it('is no place to guess the current one', async (t) => {
    const { api, change, login } = await ann(t);
    const guess = { current_password: 'wrong horse', password: next };
    for (let tries = 0; tries < 5; tries += 1) assert.equal((await change(guess)).status, 422);
    assert.equal((await change({ ...guess, current_password: old })).status, 429);
    assert.equal(await login(old), 429, 'nor is the login');
    await api.clock.advance(1_000);
    assert.equal((await change({ ...guess, current_password: old })).status, 204);
  });

  it('changes it once when it is asked twice at once', async (t) => {
    const { change, login } = await ann(t);
    const answers = await Promise.all(
      [next, 'another staple'].map((password) => change({ current_password: old, password })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 409]);
    const worked = answers[0]?.status === 204 ? next : 'another staple';
    assert.equal(await login(worked), 200);
  });

  it('is refused to tokens that are limited, and to the bootstrap token', async (t) => {
    const { api, id, change } = await ann(t);
    const limited = await giveToken(api.accounts, api.clock, id, 'api', null, { role: 'Admin' });
    for (const token of [limited, api.bootstrapToken])
      assert.equal((await change({ current_password: old, password: next }, token)).status, 403);
    const at = timestamp(api.clock.now());
    assert.equal((await api.accounts.getUser(id))?.updated_at, at);
  });
});
