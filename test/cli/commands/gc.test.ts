import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { GarbageItem } from '../../../specs/gc.ts';
import { giveMember, testApi } from '../../support/api.ts';
import { cli, listening } from '../../support/cli.ts';
import { answerJson, scriptedServer } from '../../support/http-server.ts';

const MiB = 2 ** 20;
const open = { removed: false, error: null };
const items: GarbageItem[] = [
  {
    ...open,
    kind: 'image',
    name: 'svc/a:b',
    bytes: 3 * MiB,
    reason: 'Its deployment is gone.',
    action: 'remove',
  },
  {
    ...open,
    kind: 'volume',
    name: 'svc-data',
    bytes: null,
    reason: 'It is of no service.',
    action: 'report',
  },
];

async function world(test: TestContext) {
  const api = await testApi(test);
  api.garbage.items = items;
  const url = await listening(api);
  return { api, url, user: await cli(test, { url, token: api.token }) };
}

describe('svc gc', () => {
  it('lists what would go with its bytes and the reason, and takes nothing in a dry run', async (test) => {
    const { api, user } = await world(test);
    const { code, stdout, stderr } = await user.svc('gc', '--dry-run');
    assert.equal(code, 0, stderr);
    assert.equal(
      stdout,
      `KIND     BYTES     NAME       ACTION     REASON
image    3.0 MiB   svc/a:b    would go   Its deployment is gone.
volume   unknown   svc-data   kept       It is of no service.
`,
    );
    assert.equal(stderr, '1 thing would go: 3.0 MiB.\n');
    assert.deepEqual(api.garbage.items, items);
  });

  it('takes it otherwise, and says what that freed', async (test) => {
    const { api, user } = await world(test);
    const { code, stdout, stderr } = await user.svc('gc');
    assert.deepEqual([code, stderr], [0, '1 thing removed: 3.0 MiB freed.\n']);
    assert.match(stdout, /^image +3\.0 MiB +svc\/a:b +removed +Its deployment is gone\.$/m);
    assert.deepEqual(api.garbage.items, items.slice(1));
    assert.match((await user.svc('gc')).stderr, /There is nothing to remove\./);
  });

  it('prints the report as the API has it', async (test) => {
    const { user } = await world(test);
    const { stdout, stderr } = await user.svc('gc', '--dry-run', '-o', 'json');
    assert.equal(stderr, '');
    const report = { dry_run: true, items, bytes_would_free: 3 * MiB, bytes_freed: 0 };
    assert.deepEqual(JSON.parse(stdout), report);
  });

  it('ends with 1 when something stayed that should have gone', async (test) => {
    const failed = { ...items[0], error: 'The image is in use: remove its containers first' };
    const report = { dry_run: false, items: [failed], bytes_would_free: 3 * MiB, bytes_freed: 0 };
    const server = await scriptedServer(test, (_asked, response) => answerJson(response, report));
    const { code, stdout, stderr } = await (await cli(test, { url: server.url })).svc('gc');
    assert.equal(code, 1);
    assert.match(stdout, /failed +Its deployment is gone\. The image is in use/);
    assert.equal(stderr, '0 things removed: 0 B freed.\n');
  });

  it('is for super-admins', async (test) => {
    const { api, url } = await world(test);
    const { token } = await giveMember(api, 'grace');
    assert.equal((await (await cli(test, { url, token })).svc('gc')).code, 3);
    assert.deepEqual(api.garbage.items, items);
  });
});
