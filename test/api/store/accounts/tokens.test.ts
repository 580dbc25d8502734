import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Accounts } from '../../../../api/store/accounts.ts';
import type { OpenStore } from '../../../../api/store/open.ts';
import { aToken, aUser } from '../../../support/accounts.ts';
import { anId, memoryStore } from '../../../support/store.ts';

describe('tokens', () => {
  let store: OpenStore;
  let accounts: Accounts;
  /** Ids of the users whose access has shrunk, as told. */
  let shrunk: string[];

  beforeEach(async () => {
    store = await memoryStore();
    accounts = store.accounts;
    shrunk = [];
    accounts.onAccessChange((userId) => shrunk.push(userId));
  });
  afterEach(() => store.close());

  it('are found by their hash, expired or not, until they are deleted', async () => {
    const limited = { project_id: anId('project'), role: 'Viewer' } as const;
    const tokens = [
      aToken(1, limited),
      aToken(2, { kind: 'session', expires_at: '2029-01-01T00:00:00.000Z' }),
    ];
    for (const token of tokens) await accounts.createToken(token);
    for (const token of tokens) assert.deepEqual(await accounts.findToken(token.hash), token);
    assert.equal(await accounts.findToken('f'.repeat(64)), undefined);
    await accounts.deleteToken(anId('token', 1));
    await accounts.deleteToken(anId('token', 1));
    assert.deepEqual(shrunk, [anId('user')]);
    assert.equal(await accounts.findToken(aToken(1).hash), undefined);
    assert.deepEqual(await accounts.findToken(aToken(2).hash), tokens[1]);
  });

  it('are listed by user and kind, newest first, page by page', async () => {
    const tokens = [
      ...[aToken(1), aToken(2, { kind: 'session' }), aToken(3), aToken(4, { user_id: anId('user', 2) })],
      aToken(5),
    ];
    for (const token of tokens) await accounts.createToken(token);
    const list = async (...[kind, page]: ['api' | 'session', { limit?: number; before?: string }?]) =>
      (await accounts.listTokens(anId('user'), kind, page)).map(({ name }) => name);
    assert.deepEqual(await list('api'), ['token 5', 'token 3', 'token 1']);
    assert.deepEqual(await list('session'), ['token 2']);
    assert.deepEqual(await list('api', { limit: 2 }), ['token 5', 'token 3']);
    assert.deepEqual(await list('api', { limit: 2, before: anId('token', 3) }), ['token 1']);
  });

  it('are not made for an account that was changed since it was checked', async () => {
    const user = aUser();
    await accounts.createUser(user);
    await accounts.createToken(aToken(1), { ifUserVersion: 1 });
    await accounts.rehash(user.id, user.password_hash, 'stronger');
    await accounts.createToken(aToken(2), { ifUserVersion: 1 });
    const at = '2030-01-02T00:00:00.000Z';
    await accounts.updateUser(user.id, { password_hash: 'new' }, { at, revoke: { kinds: 'all' } });
    await assert.rejects(accounts.createToken(aToken(3), { ifUserVersion: 1 }), { code: 'conflict' });
    await assert.rejects(accounts.createToken(aToken(4, { user_id: 'usr_none' }), { ifUserVersion: 1 }), {
      code: 'conflict',
    });
    assert.deepEqual(await accounts.listTokens(user.id, 'api'), []);
  });

  it('note their use once a minute', async () => {
    await accounts.createToken(aToken(1));
    const touch = async (time: string) => {
      await accounts.touchToken(anId('token', 1), `2030-01-01T${time}Z`);
      return (await accounts.findToken(aToken(1).hash))?.last_used_at;
    };
    assert.equal(await touch('00:00:10.000'), '2030-01-01T00:00:10.000Z');
    assert.equal(await touch('00:01:09.999'), '2030-01-01T00:00:10.000Z');
    assert.equal(await touch('00:01:10.000'), '2030-01-01T00:01:10.000Z');
    assert.equal(await touch('00:00:00.000'), '2030-01-01T00:01:10.000Z');
  });

  it('go once they are sessions that have expired or lie idle, and no others', async () => {
    const [past, future] = ['2029-12-31T23:59:59.999Z', '2030-02-01T00:00:00.000Z'];
    const session = { kind: 'session', expires_at: future } as const;
    const tokens = [
      aToken(1, { ...session, expires_at: past }),
      aToken(2, session),
      aToken(3, { ...session, created_at: '2029-11-30T00:00:00.000Z' }),
      aToken(4, { ...session, created_at: '2029-11-30T00:00:00.000Z', last_used_at: past }),
      aToken(5, { ...session, last_used_at: '2029-12-01T00:00:00.000Z', user_id: anId('user', 2) }),
      aToken(6, { expires_at: past }),
      aToken(7, { created_at: '2029-11-30T00:00:00.000Z' }),
    ];
    for (const token of tokens) await accounts.createToken(token);
    const prune = () =>
      accounts.deleteExpiredSessions('2030-01-01T00:00:00.000Z', '2029-12-01T00:00:00.000Z');
    assert.equal(await prune(), 3);
    assert.deepEqual(shrunk.toSorted(), [anId('user'), anId('user', 2)]);
    const found = await Promise.all(tokens.map(({ hash }) => accounts.findToken(hash)));
    assert.deepEqual(
      found.flatMap((token) => (token ? [token.name] : [])),
      ['token 2', 'token 4', 'token 6', 'token 7'],
    );
    assert.equal(await prune(), 0);
  });
});
