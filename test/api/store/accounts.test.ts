import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Accounts, TokenRecord, UserRecord } from '../../../api/store/accounts.ts';
import type { OpenStore } from '../../../api/store/open.ts';
import { anId, memoryStore } from '../../support/store.ts';

const at = '2030-01-01T00:00:00.000Z';

function aUser(said: Partial<UserRecord> = {}): UserRecord {
  return {
    id: anId('user'),
    username: 'ada',
    password_hash: '$argon2id$…',
    super_admin: true,
    created_at: at,
    ...said,
  };
}

function aToken(n: number, said: Partial<TokenRecord> = {}): TokenRecord {
  const identity = { id: anId('token', n), kind: 'api', user_id: anId('user'), name: `token ${n}` } as const;
  const hash = String(n).padStart(64, '0');
  return { ...identity, hash, created_at: at, expires_at: null, last_used_at: null, ...said };
}

describe('accounts', () => {
  let store: OpenStore;
  let accounts: Accounts;

  beforeEach(async () => {
    store = await memoryStore();
    accounts = store.accounts;
  });
  afterEach(() => store.close());

  it('has one first user, whoever comes at the same time', async () => {
    assert.equal(await accounts.countUsers(), 0);
    const users = ['ada', 'bob', 'eve'].map((username, n) => aUser({ id: anId('user', n), username }));
    const made = await Promise.all(users.map((user) => accounts.createFirstUser(user)));
    assert.deepEqual(made, [true, false, false]);
    assert.equal(await accounts.countUsers(), 1);
    assert.equal(await accounts.createFirstUser(aUser({ id: anId('user', 9) })), false);
  });

  it('finds users by id and name, as they were put in', async () => {
    const ada = aUser();
    const bob = aUser({ id: anId('user', 2), username: 'bob', super_admin: false });
    await accounts.createUser(ada);
    await accounts.createUser(bob);
    assert.deepEqual(await accounts.getUser(ada.id), ada);
    assert.deepEqual(await accounts.findUser('bob'), bob);
    assert.equal(await accounts.findUser('BOB'), undefined);
    assert.equal(await accounts.getUser('usr_none'), undefined);
  });

  it('refuses a username that is taken', async () => {
    await accounts.createUser(aUser());
    await assert.rejects(accounts.createUser(aUser({ id: anId('user', 2) })), { code: 'conflict' });
    assert.equal(await accounts.countUsers(), 1);
  });

  it('finds a token by its hash, expired or not, until it is deleted', async () => {
    const tokens = [aToken(1), aToken(2, { kind: 'session', expires_at: '2029-01-01T00:00:00.000Z' })];
    for (const token of tokens) await accounts.createToken(token);
    for (const token of tokens) assert.deepEqual(await accounts.findToken(token.hash), token);
    assert.equal(await accounts.findToken('f'.repeat(64)), undefined);
    await accounts.deleteToken(anId('token', 1));
    await accounts.deleteToken(anId('token', 1));
    assert.equal(await accounts.findToken(aToken(1).hash), undefined);
    assert.deepEqual(await accounts.findToken(aToken(2).hash), tokens[1]);
  });

  it('lists the tokens of a user of a kind, newest first', async () => {
    const tokens = [
      aToken(1),
      aToken(2, { kind: 'session' }),
      aToken(3),
      aToken(4, { user_id: anId('user', 2) }),
    ];
    for (const token of tokens) await accounts.createToken(token);
    assert.deepEqual(await accounts.listTokens(anId('user'), 'api'), [tokens[2], tokens[0]]);
    assert.deepEqual(await accounts.listTokens(anId('user'), 'session'), [tokens[1]]);
  });

  it('notes the use of a token once a minute', async () => {
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

  it('removes expired sessions and nothing else', async () => {
    const past = { expires_at: '2029-12-31T23:59:59.999Z' };
    await accounts.createToken(aToken(1, { kind: 'session', ...past }));
    await accounts.createToken(aToken(2, { kind: 'session', expires_at: '2030-01-01T00:00:00.001Z' }));
    await accounts.createToken(aToken(3, past));
    await accounts.createToken(aToken(4));
    assert.equal(await accounts.deleteExpiredSessions(at), 1);
    const left = await Promise.all([1, 2, 3, 4].map((n) => accounts.findToken(aToken(n).hash)));
    assert.deepEqual(left.map(Boolean), [false, true, true, true]);
  });
});
