import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Accounts } from '../../../../api/store/accounts.ts';
import type { OpenStore } from '../../../../api/store/open.ts';
import { aToken, aUser } from '../../../support/accounts.ts';
import { anId, memoryStore } from '../../../support/store.ts';

const at = '2030-01-02T00:00:00.000Z';
const ada = aUser();
const bob = aUser({ id: anId('user', 2), username: 'bob' });
const eve = aUser({ id: anId('user', 3), username: 'eve', super_admin: false });

describe('users', () => {
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

  it('have one first, whoever comes at the same time', async () => {
    assert.equal(await accounts.countUsers(), 0);
    const made = await Promise.all([ada, bob, eve].map((user) => accounts.createFirstUser(user)));
    assert.deepEqual(made, [true, false, false]);
    assert.equal(await accounts.countUsers(), 1);
    assert.equal(await accounts.createFirstUser(aUser({ id: anId('user', 9) })), false);
  });

  it('are found by id and name, as they were put in', async () => {
    for (const user of [ada, eve]) await accounts.createUser(user);
    assert.deepEqual(await accounts.getUser(ada.id), ada);
    assert.deepEqual(await accounts.findUser('eve'), eve);
    assert.equal(await accounts.findUser('EVE'), undefined);
    assert.equal(await accounts.getUser('usr_none'), undefined);
  });

  it('are unique by name', async () => {
    await accounts.createUser(ada);
    await assert.rejects(accounts.createUser({ ...bob, username: 'ada' }), { code: 'conflict' });
    assert.equal(await accounts.countUsers(), 1);
  });

  it('are listed newest first, page by page', async () => {
    for (const user of [ada, bob, eve]) await accounts.createUser(user);
    assert.deepEqual(await accounts.listUsers(), [eve, bob, ada]);
    assert.deepEqual(await accounts.listUsers({ limit: 2 }), [eve, bob]);
    assert.deepEqual(await accounts.listUsers({ limit: 2, before: bob.id }), [ada]);
  });

  describe('that are changed', () => {
    it('get a new version each time', async () => {
      await accounts.createUser(eve);
      const changed = await accounts.updateUser(eve.id, { super_admin: true }, { at });
      assert.deepEqual(changed, { ...eve, super_admin: true, version: 2, updated_at: at });
      assert.deepEqual(await accounts.getUser(eve.id), changed);
      const again = await accounts.updateUser(eve.id, { password_hash: 'new' }, { at, ifVersion: 2 });
      assert.deepEqual(again, { ...changed, password_hash: 'new', version: 3 });
    });

    it('are not changed by who has seen an older one, or none', async () => {
      await accounts.createUser(eve);
      const change = { password_hash: 'new' };
      await assert.rejects(accounts.updateUser(eve.id, change, { at, ifVersion: 2 }), {
        code: 'precondition_failed',
      });
      await assert.rejects(accounts.updateUser('usr_none', change, { at }), { code: 'not_found' });
      assert.deepEqual(await accounts.getUser(eve.id), eve);
    });

    it('lose the tokens that they are to lose, and no others', async () => {
      await accounts.createUser(ada);
      const make = async () => {
        const tokens = [aToken(1), aToken(2, { kind: 'session' }), aToken(3, { kind: 'session' }), aToken(4)];
        for (const token of [...tokens, aToken(5, { user_id: bob.id })]) {
          await accounts.deleteToken(token.id);
          await accounts.createToken(token);
        }
        shrunk = [];
      };
      const left = async () => {
        const found = await Promise.all([1, 2, 3, 4, 5].map((n) => accounts.findToken(aToken(n).hash)));
        return found.flatMap((token, n) => (token ? [n + 1] : []));
      };
      const change = { password_hash: 'new' };
      await make();
      await accounts.updateUser(ada.id, change, { at });
      assert.deepEqual([await left(), shrunk], [[1, 2, 3, 4, 5], []]);
      await accounts.updateUser(ada.id, change, {
        at,
        revoke: { kinds: 'sessions', except: anId('token', 3) },
      });
      assert.deepEqual([await left(), shrunk], [[1, 3, 4, 5], [ada.id]]);
      await make();
      await accounts.updateUser(ada.id, change, { at, revoke: { kinds: 'all', except: anId('token', 3) } });
      assert.deepEqual([await left(), shrunk], [[3, 5], [ada.id]]);
      await make();
      await accounts.updateUser(ada.id, change, { at, revoke: { kinds: 'all' } });
      assert.deepEqual([await left(), shrunk], [[5], [ada.id]]);
    });

    it('keep version and tokens when only the hash gets stronger', async () => {
      await accounts.createUser(ada);
      await accounts.rehash(ada.id, ada.password_hash, 'stronger');
      await accounts.rehash(ada.id, ada.password_hash, 'late');
      assert.deepEqual(await accounts.getUser(ada.id), { ...ada, password_hash: 'stronger' });
      assert.deepEqual(shrunk, []);
    });
  });

  describe('that are deleted', () => {
    it('take their tokens and memberships along', async () => {
      for (const user of [ada, eve]) await accounts.createUser(user);
      await accounts.createToken(aToken(1, { user_id: eve.id }));
      await accounts.createToken(aToken(2));
      const member = { project_id: anId('project'), role: 'Admin', at } as const;
      await accounts.putMember({ ...member, user_id: eve.id });
      await accounts.deleteUser(eve.id);
      assert.deepEqual(shrunk, [eve.id]);
      assert.equal(await accounts.getUser(eve.id), undefined);
      assert.equal(await accounts.findToken(aToken(1).hash), undefined);
      assert.deepEqual(await accounts.membershipsOf(eve.id), []);
      assert.deepEqual(await accounts.getUser(ada.id), ada);
      assert.deepEqual(await accounts.findToken(aToken(2).hash), aToken(2));
      await assert.rejects(accounts.deleteUser(eve.id), { code: 'not_found' });
    });

    it('are not, by who has seen an older one', async () => {
      for (const user of [ada, eve]) await accounts.createUser(user);
      await assert.rejects(accounts.deleteUser(eve.id, { ifVersion: 2 }), { code: 'precondition_failed' });
      await accounts.deleteUser(eve.id, { ifVersion: 1 });
      assert.deepEqual(await accounts.listUsers(), [ada]);
    });
  });

  describe('never lose their last super-admin', () => {
    const conflict = { code: 'conflict', message: /ada is the last super-admin/ };

    it('when it is demoted or deleted', async () => {
      for (const user of [ada, eve]) await accounts.createUser(user);
      await assert.rejects(accounts.updateUser(ada.id, { super_admin: false }, { at }), conflict);
      await assert.rejects(accounts.deleteUser(ada.id), conflict);
      await accounts.updateUser(ada.id, { super_admin: true, password_hash: 'new' }, { at });
      assert.deepEqual(shrunk, []);
      await accounts.updateUser(eve.id, { super_admin: true }, { at });
      await accounts.updateUser(ada.id, { super_admin: false }, { at });
      assert.deepEqual(shrunk, [ada.id]);
    });

    it('when two take each other’s rights away at the same time', async () => {
      for (const user of [ada, bob]) await accounts.createUser(user);
      const done = await Promise.allSettled([
        accounts.updateUser(bob.id, { super_admin: false }, { at }),
        accounts.deleteUser(ada.id),
      ]);
      assert.deepEqual(
        done.map(({ status }) => status),
        ['fulfilled', 'rejected'],
      );
      assert.deepEqual(shrunk, [bob.id]);
    });
  });

  it('are told of after the commit, whatever a listener does', async () => {
    for (const user of [ada, bob]) await accounts.createUser(user);
    const seen: unknown[] = [];
    accounts.onAccessChange(() => {
      throw new Error('a listener that fails');
    });
    const off = accounts.onAccessChange((userId) => seen.push(userId, accounts.getUser(userId)));
    await accounts.deleteUser(bob.id);
    assert.deepEqual([seen[0], await seen[1]], [bob.id, undefined]);
    off();
    await accounts.updateUser(ada.id, {}, { at, revoke: { kinds: 'all' } });
    assert.equal(seen.length, 2);
  });
});
