import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { aStore, memoryStore } from '../../support/store.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const first = '2030-01-01T00:00:00.000Z';
const second = '2030-01-01T00:00:01.000Z';

describe('failed logins', () => {
  it('are counted by key, however many come at the same time', async () => {
    const store = await memoryStore();
    const { loginFailures } = store;
    assert.deepEqual(await loginFailures.get(['ada', 'home']), new Map());
    await Promise.all([1, 2, 3].map(() => loginFailures.add(['ada', 'home'], first)));
    await loginFailures.add(['home', 'home'], second);
    assert.deepEqual(
      await loginFailures.get(['ada', 'home', 'none']),
      new Map([
        ['ada', { failures: 3, last_at: first }],
        ['home', { failures: 4, last_at: second }],
      ]),
    );
    await loginFailures.clear(['ada', 'none']);
    assert.deepEqual([...(await loginFailures.get(['ada', 'home'])).keys()], ['home']);
    await store.close();
  });

  it('are nothing where no key is', async () => {
    const store = await memoryStore();
    await store.loginFailures.add([], first);
    await store.loginFailures.clear([]);
    assert.deepEqual(await store.loginFailures.get([]), new Map());
    await store.close();
  });

  it('survive a restart, and go when the last one is too old', async () => {
    const file = join(directory, 'svc.db');
    const store = await aStore({ file });
    await store.loginFailures.add(['ada'], first);
    await store.loginFailures.add(['bob'], second);
    await store.close();
    const again = await aStore({ file });
    assert.equal((await again.loginFailures.get(['ada', 'bob'])).size, 2);
    assert.equal(await again.loginFailures.prune(second), 1);
    assert.deepEqual([...(await again.loginFailures.get(['ada', 'bob'])).keys()], ['bob']);
    await again.close();
  });
});
