import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Accounts } from '../../../../api/store/accounts.ts';
import type { OpenStore } from '../../../../api/store/open.ts';
import type { Role } from '../../../../specs/account.ts';
import { aToken, aUser } from '../../../support/accounts.ts';
import { anId, memoryStore } from '../../../support/store.ts';

const [at, later] = ['2030-01-01T00:00:00.000Z', '2030-01-02T00:00:00.000Z'];
const shop = anId('project');
const [ada, bob, eve] = [1, 2, 3].map((n) => anId('user', n)) as [string, string, string];

describe('members', () => {
  let store: OpenStore;
  let accounts: Accounts;
  /** Ids of the users whose access has shrunk, as told. */
  let shrunk: string[];
  const put = (user_id: string, role: Role, project_id = shop, time = at) =>
    accounts.putMember({ project_id, user_id, role, at: time });

  beforeEach(async () => {
    store = await memoryStore();
    accounts = store.accounts;
    for (const [n, username] of ['ada', 'bob', 'eve'].entries())
      await accounts.createUser(aUser({ id: anId('user', n + 1), username }));
    shrunk = [];
    accounts.onAccessChange((userId) => shrunk.push(userId));
  });
  afterEach(() => store.close());

  it('are added, and change their role', async () => {
    const member = {
      project_id: shop,
      user_id: ada,
      role: 'Viewer',
      created_at: at,
      updated_at: at,
    } as const;
    assert.deepEqual(await put(ada, 'Viewer'), { member, created: true });
    assert.deepEqual(await put(ada, 'Viewer', shop, later), { member, created: false });
    const raised = { ...member, role: 'Operator', updated_at: later } as const;
    assert.deepEqual(await put(ada, 'Operator', shop, later), { member: raised, created: false });
    assert.deepEqual(await accounts.getMember(shop, ada), raised);
    assert.equal(await accounts.getMember(shop, bob), undefined);
    assert.equal(await accounts.getMember(anId('project', 2), ada), undefined);
    assert.deepEqual(shrunk, []);
  });

  it('are listed with their names, newest user first, page by page', async () => {
    for (const user of [bob, eve, ada]) await put(user, 'Viewer');
    await put(ada, 'Admin', anId('project', 2));
    const list = async (page?: { limit?: number; before?: string }) =>
      (await accounts.listMembers(shop, page)).map(({ username, role }) => `${username} ${role}`);
    assert.deepEqual(await list(), ['eve Viewer', 'bob Viewer', 'ada Viewer']);
    assert.deepEqual(await list({ limit: 1, before: eve }), ['bob Viewer']);
    const [first] = await accounts.listMembers(shop, { limit: 1 });
    const row = { project_id: shop, user_id: eve, role: 'Viewer', created_at: at, updated_at: at };
    assert.deepEqual(first, { ...row, username: 'eve' });
    assert.deepEqual(
      (await accounts.membershipsOf(ada)).map(({ project_id, role }) => [project_id, role]),
      [
        [shop, 'Viewer'],
        [anId('project', 2), 'Admin'],
      ],
    );
  });

  it('are users', async () => {
    await assert.rejects(put('usr_none', 'Viewer'), { code: 'not_found' });
    assert.deepEqual(await accounts.listMembers(shop), []);
  });

  it('are told of when they may do less', async () => {
    await put(ada, 'Admin');
    await put(bob, 'Operator');
    await put(bob, 'Viewer');
    assert.deepEqual(shrunk, [bob]);
    await accounts.removeMember(shop, bob);
    assert.deepEqual(shrunk, [bob, bob]);
    await assert.rejects(accounts.removeMember(shop, bob), { code: 'not_found' });
    assert.deepEqual(shrunk, [bob, bob]);
  });

  it('keep their last Admin', async () => {
    const conflict = { code: 'conflict', message: /last Admin of the project/ };
    await put(ada, 'Admin');
    await put(bob, 'Operator');
    await put(bob, 'Admin', anId('project', 2));
    await assert.rejects(accounts.removeMember(shop, ada), conflict);
    await assert.rejects(put(ada, 'Operator'), conflict);
    await put(ada, 'Admin');
    await accounts.removeMember(shop, bob);
    await put(bob, 'Admin');
    const both = await Promise.allSettled([put(ada, 'Viewer'), accounts.removeMember(shop, bob)]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['fulfilled', 'rejected'],
    );
    assert.equal((await accounts.getMember(shop, bob))?.role, 'Admin');
  });

  it('end with the project, and so do the tokens that reach nothing else', async () => {
    const other = anId('project', 2);
    await put(ada, 'Admin');
    await put(ada, 'Admin', other);
    await accounts.createToken(aToken(1, { user_id: bob, project_id: shop }));
    await accounts.createToken(aToken(2, { user_id: bob, project_id: other }));
    await accounts.createToken(aToken(3, { user_id: bob }));
    const failing = store.write(async (writer) => {
      await writer.dropMembers(shop);
      throw new Error('no');
    });
    await assert.rejects(failing, /no/);
    assert.deepEqual(shrunk, []);
    await store.write((writer) => writer.dropMembers(shop));
    assert.deepEqual(shrunk.toSorted(), [ada, bob]);
    assert.deepEqual(
      (await accounts.membershipsOf(ada)).map(({ project_id }) => project_id),
      [other],
    );
    const left = await accounts.listTokens(bob, 'api');
    assert.deepEqual(
      left.map(({ name }) => name),
      ['token 3', 'token 2'],
    );
  });
});
