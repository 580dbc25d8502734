import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { mintBootstrapToken } from '../../../api/auth/bootstrap-token.ts';
import type { User } from '../../../specs/account.ts';
import { timestamp } from '../../../specs/meta.ts';
import { bearer, testApi } from '../../support/api.ts';

const credentials = { username: 'ann', password: 'long enough 1' };

describe('POST /v1/bootstrap', () => {
  it('makes the first account, once, and its owner can log in', async (t) => {
    const api = await testApi(t, { fresh: true });
    const first = await api.call('POST', '/v1/bootstrap', credentials, bearer(api.bootstrapToken));
    assert.equal(first.status, 201);
    const { id, ...user } = first.json<User>();
    const at = timestamp(api.clock.now());
    assert.deepEqual(user, { username: 'ann', super_admin: true, created_at: at, updated_at: at });
    assert.match(id, /^usr_/);

    const second = await api.call(
      'POST',
      '/v1/bootstrap',
      { ...credentials, username: 'eve' },
      bearer(api.bootstrapToken),
    );
    assert.equal(second.status, 409);
    assert.equal(second.problem().code, 'conflict');
    assert.equal(await api.accounts.countUsers(), 1);
    assert.equal((await api.call('POST', '/v1/auth/login', credentials)).status, 200);
  });

  it('makes one account when asked twice at once', async (t) => {
    const api = await testApi(t, { fresh: true });
    const both = ['ann', 'eve'].map((username) =>
      api.call('POST', '/v1/bootstrap', { ...credentials, username }, bearer(api.bootstrapToken)),
    );
    assert.deepEqual((await Promise.all(both)).map(({ status }) => status).sort(), [201, 409]);
    assert.equal(await api.accounts.countUsers(), 1);
  });

  it('refuses names and passwords that break the rules', async (t) => {
    const api = await testApi(t, { fresh: true });
    for (const body of [{ username: 'Ann', password: 'short' }, { username: '', password: '' }, {}]) {
      const answer = await api.call('POST', '/v1/bootstrap', body, bearer(api.bootstrapToken));
      assert.equal(answer.status, 422);
      assert.deepEqual(
        answer
          .problem()
          .errors?.map(({ path }) => path)
          .sort(),
        ['/password', '/username'],
      );
    }
    assert.equal(await api.accounts.countUsers(), 0);
  });

  it('refuses passwords that everybody tries', async (t) => {
    const api = await testApi(t, { fresh: true });
    for (const password of ['qwertyuiop', 'annannannann', 'Password123!']) {
      const body = { username: 'ann', password };
      assert.equal((await api.call('POST', '/v1/bootstrap', body, bearer(api.bootstrapToken))).status, 422);
    }
    assert.equal(await api.accounts.countUsers(), 0);
  });

  it('is over for the tokens of a key that was rotated', async (t) => {
    const api = await testApi(t, { fresh: true });
    await api.store.vault.rotate(randomBytes(32));
    const old = await api.call('POST', '/v1/bootstrap', credentials, bearer(api.bootstrapToken));
    assert.equal(old.status, 401);
    const token = mintBootstrapToken(api.store.nodeKey(), randomBytes);
    assert.equal((await api.call('POST', '/v1/bootstrap', credentials, bearer(token))).status, 201);
  });
});
