import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { giveService, testApi } from '../../support/api.ts';
import { cli, clockOf, listening } from '../../support/cli.ts';
import { aKnownHost, given } from '../../support/store.ts';

async function world(test: TestContext) {
  const api = await testApi(test);
  const { project } = await giveService(api);
  const row = aKnownHost({ owner: project.id });
  await given(api.store, row);
  const user = await cli(test, { url: await listening(api), token: api.token, clock: clockOf(api) });
  return { api, row, user };
}

describe('svc projects known-hosts', () => {
  it('lists each host with the fingerprint of its key', async (test) => {
    const { user, row } = await world(test);
    const { stdout } = await user.svc('projects', 'known-hosts', 'list', 'shop');
    const [head = '', line = ''] = stdout.split('\n');
    assert.match(head, /^HOST +TYPE +FINGERPRINT +AGE$/);
    assert.match(line, new RegExp(`^git\\.example\\.com +ssh-ed25519 +${row.spec.fingerprints.join()}`));
  });

  it('forgets one, by its name or id, and says so when there is none', async (test) => {
    const { api, user, row } = await world(test);
    const none = await user.svc('projects', 'known-hosts', 'remove', 'shop', 'git.example.org');
    assert.equal(none.code, 4);
    assert.match(none.stderr, /known-hosts list shop/);
    const { stdout, code } = await user.svc('projects', 'known-hosts', 'remove', 'shop', 'Git.example.com');
    assert.deepEqual([code, stdout], [0, 'known-host/git.example.com removed from shop\n']);
    assert.equal(await api.store.get('KnownHost', row.id), undefined);
    assert.equal((await user.svc('projects', 'known-hosts', 'remove', 'shop', row.id)).code, 4);
  });
});
