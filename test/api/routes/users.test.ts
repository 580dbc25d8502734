import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { User } from '../../../specs/account.ts';
import { timestamp } from '../../../specs/meta.ts';
import type { Page } from '../../../specs/resources.ts';
import { bearer, giveMember, giveToken, giveUser, testApi, type TestApi } from '../../support/api.ts';

const bob = { username: 'bob', password: 'correct horse' };

async function login({ call }: TestApi, password: string, username = 'bob'): Promise<number> {
  return (await call('POST', '/v1/auth/login', { username, password })).status;
}

describe('/v1/users', () => {
  it('makes a user who can log in, and is no super-admin unless that is asked for', async (t) => {
    const api = await testApi(t);
    const made = await api.call('POST', '/v1/users', bob);
    assert.equal(made.status, 201);
    assert.equal(made.headers.etag, '"1"');
    const at = timestamp(api.clock.now());
    const { id, ...user } = made.json<User>();
    assert.match(id, /^usr_/);
    assert.deepEqual(user, { username: 'bob', super_admin: false, created_at: at, updated_at: at });
    assert.equal(await login(api, bob.password), 200);

    const admin = await api.call('POST', '/v1/users', { ...bob, username: 'eve', super_admin: true });
    assert.equal(admin.json<User>().super_admin, true);
  });

  it('refuses a name that is taken, and names and passwords that break the rules', async (t) => {
    const api = await testApi(t);
    await api.call('POST', '/v1/users', bob);
    assert.equal((await api.call('POST', '/v1/users', bob)).problem().code, 'conflict');
    for (const [body, path] of [
      [{ ...bob, username: 'Bob' }, '/username'],
      [{ ...bob, username: 'usr_00000000000000000000000000' }, '/username'],
      [{ ...bob, password: 'too short' }, '/password'],
      [{ ...bob, password: 'qwertyuiop' }, '/password'],
      [{ username: 'tinkerbell-1', password: 'tinkerbell!' }, '/password'],
      [{ ...bob, role: 'Admin' }, '/role'],
    ] as const) {
      const answer = await api.call('POST', '/v1/users', body);
      assert.equal(answer.status, 422);
      assert.deepEqual(new Set(answer.problem().errors?.map((error) => error.path)), new Set([path]));
    }
    assert.equal(await api.accounts.countUsers(), 2);
  });

  it('lists and shows users, by id or name, and never a hash', async (t) => {
    const api = await testApi(t);
    const { id } = (await api.call('POST', '/v1/users', bob)).json<User>();
    const all = await api.call('GET', '/v1/users');
    assert.deepEqual(
      new Set(all.json<Page<User>>().items.map(({ username }) => username)),
      new Set(['bob', 'root']),
    );
    const first = (await api.call('GET', '/v1/users?limit=1')).json<Page<User>>();
    const rest = (await api.call('GET', `/v1/users?limit=1&cursor=${first.next_cursor}`)).json<Page<User>>();
    assert.equal(rest.next_cursor, null);
    assert.deepEqual(
      new Set([...first.items, ...rest.items].map((user) => user.username)),
      new Set(['bob', 'root']),
    );
    const [byId, byName] = [await api.call('GET', `/v1/users/${id}`), await api.call('GET', '/v1/users/bob')];
    assert.equal(byId.text, byName.text);
    assert.equal(byId.headers.etag, '"1"');
    assert.ok(![all.text, byId.text].some((text) => /argon|hash|\$/.test(text)));
    assert.equal((await api.call('GET', '/v1/users/nobody')).status, 404);
    assert.equal((await api.call('GET', '/v1/users/usr_00000000000000000000000000')).status, 404);
  });

  it('sets a new password, which ends every session and token of the old one', async (t) => {
    const api = await testApi(t);
    const { id } = (await api.call('POST', '/v1/users', bob)).json<User>();
    const tokens = [
      await giveToken(api.accounts, api.clock, id, 'session'),
      await giveToken(api.accounts, api.clock, id, 'api'),
    ];
    await api.clock.advance(1_000);
    const changed = await api.call('PATCH', '/v1/users/bob', { password: 'another horse' });
    assert.equal(changed.status, 200);
    assert.equal(changed.headers.etag, '"2"');
    assert.equal(changed.json<User>().updated_at, timestamp(api.clock.now()));
    for (const token of tokens)
      assert.equal((await api.call('GET', '/v1/me', undefined, bearer(token))).status, 401);
    assert.equal(await login(api, bob.password), 401);
    assert.equal(await login(api, 'another horse'), 200);
    assert.equal((await api.call('PATCH', '/v1/users/bob', { password: 'bobbobbobbob' })).status, 422);
    assert.equal((await api.call('PATCH', '/v1/users/bob', {})).status, 422);
  });

  it('promotes and demotes, at once', async (t) => {
    const api = await testApi(t);
    const { id, token } = await giveMember(api, 'bob');
    const users = async () => (await api.call('GET', '/v1/users', undefined, bearer(token))).status;
    assert.equal(await users(), 403);
    await api.call('PATCH', `/v1/users/${id}`, { super_admin: true });
    assert.equal(await users(), 200);
    await api.call('PATCH', `/v1/users/${id}`, { super_admin: false });
    assert.equal(await users(), 403);
  });

  it('keeps the last super-admin', async (t) => {
    const api = await testApi(t);
    await giveMember(api, 'bob');
    for (const [method, body] of [
      ['PATCH', { super_admin: false }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await api.call(method, '/v1/users/root', body);
      assert.equal(answer.problem().code, 'conflict');
    }
    await giveUser(api.accounts, api.clock, 'eve');
    assert.equal((await api.call('DELETE', '/v1/users/root')).status, 204);
    assert.equal((await api.call('GET', '/v1/me')).status, 401);
  });

  it('deletes a user with tokens and memberships', async (t) => {
    const api = await testApi(t);
    const { id: project } = (await api.call('POST', '/v1/projects', { name: 'shop' })).json<{ id: string }>();
    const { id, token } = await giveMember(api, 'bob', { [project]: 'Viewer' });
    assert.equal((await api.call('DELETE', '/v1/users/bob')).status, 204);
    assert.equal((await api.call('GET', '/v1/me', undefined, bearer(token))).status, 401);
    assert.deepEqual(await api.accounts.membershipsOf(id), []);
    assert.equal((await api.call('DELETE', '/v1/users/bob')).status, 404);
    const again = await giveMember(api, 'bob');
    assert.notEqual(again.id, id);
    assert.equal((await api.call('GET', `/v1/projects/shop`, undefined, bearer(again.token))).status, 404);
  });

  it('writes only the version that was meant', async (t) => {
    const api = await testApi(t);
    await giveMember(api, 'bob');
    const tag = (await api.call('GET', '/v1/users/bob')).headers.etag as string;
    const change = { super_admin: true };
    assert.equal((await api.call('PATCH', '/v1/users/bob', change, { 'if-match': tag })).status, 200);
    assert.equal((await api.call('PATCH', '/v1/users/bob', change, { 'if-match': tag })).status, 412);
    assert.equal((await api.call('DELETE', '/v1/users/bob', undefined, { 'if-match': tag })).status, 412);
    assert.equal((await api.call('DELETE', '/v1/users/bob', undefined, { 'if-match': '"2"' })).status, 204);
  });
});
