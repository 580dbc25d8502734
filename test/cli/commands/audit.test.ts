import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { parse } from 'yaml';
import type { AuditEntry } from '../../../specs/audit.ts';
import type { Page } from '../../../specs/resources.ts';
import { bearer, giveMember, giveService, testApi, type TestApi } from '../../support/api.ts';
import { cli, clockOf, golden, listening, type Cli } from '../../support/cli.ts';

interface World {
  api: TestApi;
  url: string;
  root: Cli;
}

/** Two writes of root at midnight, and one of grace a minute later that was refused. */
async function world(test: TestContext): Promise<World> {
  const api = await testApi(test);
  const { project } = await giveService(api);
  await api.clock.advance(60_000);
  const { token } = await giveMember(api, 'grace', { [project.id]: 'Viewer' });
  await api.call('POST', '/v1/projects', { name: 'mine' }, bearer(token));
  await api.clock.advance(60_000);
  const url = await listening(api);
  return { api, url, root: await cli(test, { url, token: api.token, clock: clockOf(api) }) };
}

/** Who, what and what came of it, line by line, without the header. */
async function lines(user: Cli, ...flags: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await user.svc('audit', ...flags);
  assert.equal(code, 0, stderr);
  return stdout
    .split('\n')
    .slice(1, -1)
    .map((line) => {
      const [, who = '', , method = '', route = '', , , ...result] = line.split(/ +/);
      return [who, method, route, ...result].join(' ');
    });
}

const project = 'root POST /v1/projects 201';
const service = 'root POST /v1/services 201';
const refused = 'grace POST /v1/projects 403 forbidden';

describe('svc audit', () => {
  it('shows who did what, the newest last', async (test) => {
    const { root } = await world(test);
    const { stdout } = await root.svc('audit');
    assert.match(
      golden(stdout),
      /^AT +WHO +FROM +WHAT +OBJECT +FIELDS +RESULT\n2030-01-01T00:00:00\.000Z +root +127\.0\.0\.1 +POST/,
    );
    const shown = await lines(root);
    assert.deepEqual([shown.slice(0, 2).sort(), shown.slice(2)], [[project, service], [refused]]);
    assert.match((await root.svc('audit', '-o', 'wide')).stdout, /tok_/);
  });

  const filters: [flags: string[], shown: string[]][] = [
    [['--refused'], [refused]],
    [['--user', 'grace'], [refused]],
    [['--user', 'nobody'], []],
    [['--since', '90s'], [refused]],
    [['--since', '2030-01-01T00:00:30Z', '--until', '2030-01-01T00:00:40Z'], []],
    [
      ['--until', '90s'],
      [project, service],
    ],
    [
      ['-p', 'shop'],
      [project, service],
    ],
    [['-n', '1'], [refused]],
  ];
  for (const [flags, expected] of filters) {
    it(`narrows it down: ${flags.join(' ')}`, async (test) => {
      const { root } = await world(test);
      const shown = await lines(root, ...flags);
      assert.deepEqual(shown.sort(), expected.toSorted());
    });
  }

  it('does not let a project that is not there look like one in which nothing was written', async (test) => {
    const { root } = await world(test);
    const { code, stderr } = await root.svc('audit', '-p', 'gone');
    assert.equal(code, 4);
    assert.match(stderr, /There is no project "gone" now\.\n.*by its id/);
    assert.equal((await root.svc('audit', '-p', 'shop', '--since', '1s')).code, 0);
  });

  it('prints what the API answers as JSON and YAML', async (test) => {
    const { api, root } = await world(test);
    const { items } = (await api.call('GET', '/v1/audit')).json<Page<AuditEntry>>();
    const list = { items, next_cursor: null };
    assert.deepEqual(JSON.parse((await root.svc('audit', '-o', 'json')).stdout), list);
    assert.deepEqual(parse((await root.svc('audit', '-o', 'yaml')).stdout), list);
  });

  it('reads no more pages than it shows', async (test) => {
    const { root } = await world(test);
    assert.equal((await lines(root, '-n', '2')).length, 2);
    const document = JSON.parse(
      (await root.svc('audit', '-n', '2', '-o', 'json')).stdout,
    ) as Page<AuditEntry>;
    assert.equal(document.items.length, 2);
  });

  it('is for super-admins, and takes times and numbers only', async (test) => {
    const { api, url, root } = await world(test);
    const { token } = await giveMember(api, 'ada');
    assert.equal((await (await cli(test, { url, token })).svc('audit')).code, 3);
    for (const flags of [
      ['--since', 'soon'],
      ['-n', '0'],
      ['-o', 'xml'],
    ])
      assert.equal((await root.svc('audit', ...flags)).code, 2);
  });
});
