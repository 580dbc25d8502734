import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RotatedKey } from '../../../specs/resources.ts';
import { bearer, giveToken, giveUser, testApi } from '../../support/api.ts';
import { aSecret, refTo, seal } from '../../support/secrets.ts';

const url = '/v1/node/rotate-key';

describe('rotating the node key', () => {
  it('seals everything anew and voids the bootstrap tokens, but no other token', async (test) => {
    const api = await testApi(test);
    await seal(api.store, aSecret());
    const asBootstrap = bearer(api.bootstrapToken);
    assert.equal((await api.call('GET', '/v1/me', undefined, asBootstrap)).status, 200);
    const before = api.store.nodeKey();

    const answer = await api.call('POST', url);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.json<RotatedKey>(), {
      ...{ key_version: 2, resealed: 1, unreadable: 0 },
      message: answer.json<RotatedKey>().message,
    });
    assert.notDeepEqual(api.store.nodeKey(), before);
    assert.equal(await api.store.vault.open(refTo(1)), 'hunter2');
    assert.equal((await api.call('GET', '/v1/me', undefined, asBootstrap)).status, 401);
    assert.equal((await api.call('GET', '/v1/me')).status, 200);
  });

  it('is done by whoever holds the bootstrap token, for the last time', async (test) => {
    const api = await testApi(test);
    assert.equal((await api.call('POST', url, undefined, bearer(api.bootstrapToken))).status, 200);
    assert.equal((await api.call('POST', url, undefined, bearer(api.bootstrapToken))).status, 401);
  });

  it('is for super-admins', async (test) => {
    const api = await testApi(test);
    const { accounts, clock } = api;
    const user = await giveUser(accounts, clock, 'ada', { super_admin: false });
    const answer = await api.call('POST', url, {}, bearer(await giveToken(accounts, clock, user, 'api')));
    assert.equal(answer.problem().code, 'forbidden');
    assert.equal(api.store.vault.keyVersion(), 1);
  });
});
