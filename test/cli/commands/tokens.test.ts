import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Me } from '../../../specs/account.ts';
import { bearer, testApi, type TestApi } from '../../support/api.ts';
import { cli, clockOf, golden, listening, type Cli } from '../../support/cli.ts';

async function world(test: TestContext): Promise<{ api: TestApi; root: Cli }> {
  const api = await testApi(test);
  const url = await listening(api);
  return { api, root: await cli(test, { url, token: api.token, clock: clockOf(api) }) };
}

describe('svc tokens', () => {
  it('makes one, alone on standard output', async (test) => {
    const { api, root } = await world(test);
    const { code, stdout, stderr } = await root.svc('tokens', 'create', 'ci');
    assert.equal(code, 0);
    assert.match(stdout, /^svc_api_[A-Za-z0-9_-]+\n$/);
    assert.match(golden(stderr), /^Token "ci" \(tok_…\), until it is revoked\.\nIt is not shown again\./);
    assert.ok(!stderr.includes(stdout.trim()));
    assert.equal((await api.call('GET', '/v1/me', undefined, bearer(stdout.trim()))).status, 200);
  });

  it('makes one with an end and limits', async (test) => {
    const { api, root } = await world(test);
    await root.svc('projects', 'create', 'shop');
    const flags = ['--expires', '30d', '--project', 'shop', '--role', 'viewer'];
    const { stdout, stderr } = await root.svc('tokens', 'create', 'report', ...flags);
    assert.match(stderr, /until 2030-01-31T00:00:00\.000Z/);
    const me = (await api.call('GET', '/v1/me', undefined, bearer(stdout.trim()))).json<Me>();
    assert.deepEqual(
      [me.super_admin, me.token?.project, me.token?.role, me.token?.expires_at],
      [false, 'shop', 'Viewer', '2030-01-31T00:00:00.000Z'],
    );
    const listed = golden((await root.svc('tokens', 'list')).stdout).split('\n');
    assert.deepEqual(listed.map((line) => line.replaceAll(/ +/g, ' ')).sort(), [
      '',
      'NAME REACHES ROLE AGE EXPIRES LAST USED ID',
      'report shop Viewer 0s in 30d 0s ago tok_…',
      'test all its owner 0s never 0s ago tok_…',
    ]);
  });

  const wrong: [argv: string[], code: number, message: RegExp][] = [
    [['x', '--expires', 'soon'], 2, /--expires/],
    [['x', '--expires', '2030-99-99'], 2, /is no time/],
    [['x', '--expires', '2020-01-01T00:00:00Z'], 5, /in the past/],
    [['x', '--role', 'Opperator'], 2, /Did you mean "Operator"/],
    [['x', '--project', 'nope'], 4, /no such project/],
    [[], 2, /Not enough/],
  ];
  for (const [argv, code, message] of wrong) {
    it(`makes none: ${argv.join(' ')}`, async (test) => {
      const { root } = await world(test);
      const outcome = await root.svc('tokens', 'create', ...argv);
      assert.deepEqual([outcome.code, outcome.stdout], [code, ''], outcome.stderr);
      assert.match(outcome.stderr, message);
    });
  }

  it('revokes by name and id, all or none', async (test) => {
    const { api, root } = await world(test);
    const tokens = [];
    for (const name of ['ci', 'twice', 'twice'])
      tokens.push((await root.svc('tokens', 'create', name)).stdout.trim());
    const status = async (token = '') => (await api.call('GET', '/v1/me', undefined, bearer(token))).status;
    assert.match((await root.svc('tokens', 'revoke', 'ci', 'twice')).stderr, /2 tokens are named "twice"/);
    assert.equal((await root.svc('tokens', 'revoke', 'ci', 'nope')).code, 4);
    const pasted = await root.svc('tokens', 'revoke', tokens[0] ?? '');
    assert.deepEqual([pasted.code, pasted.stderr.includes(tokens[0] ?? '')], [2, false]);
    assert.equal(await status(tokens[0]), 200);

    assert.equal(golden((await root.svc('tokens', 'revoke', 'ci')).stdout), 'token/tok_… revoked (ci)\n');
    assert.equal(await status(tokens[0]), 401);
    const { stdout } = await root.svc('tokens', 'list', '-o', 'json');
    const { items } = JSON.parse(stdout) as { items: { id: string; name: string }[] };
    const id = items.find(({ name }) => name === 'twice')?.id ?? '';
    assert.equal((await root.svc('tokens', 'revoke', id)).code, 0);
    assert.equal([await status(tokens[1]), await status(tokens[2])].filter((code) => code === 401).length, 1);
  });
});
