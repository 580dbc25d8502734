import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { bearer, giveMember, testApi, type TestApi } from '../../support/api.ts';
import { cli, clockOf, listening, type Cli } from '../../support/cli.ts';

const password = 'correct horse battery';

interface World {
  api: TestApi;
  url: string;
  /** A super-admin. */
  root: Cli;
}

async function world(test: TestContext): Promise<World> {
  const api = await testApi(test);
  const url = await listening(api);
  return { api, url, root: await cli(test, { url, token: api.token, clock: clockOf(api) }) };
}

/** The status of a login over the API. */
async function login({ api }: World, username: string, word: string): Promise<number> {
  return (await api.call('POST', '/v1/auth/login', { username, password: word }, { authorization: '' }))
    .status;
}

describe('svc users create', () => {
  it('asks for the password twice', async (test) => {
    const one = await world(test);
    assert.deepEqual(await one.root.type([password, password], 'users', 'create', 'grace'), {
      code: 0,
      stdout: 'user/grace created\n',
      stderr:
        'Password for grace: \nThe same again: \nGive a role in a project with: svc members set grace Operator -p PROJECT\n',
    });
    assert.equal(await login(one, 'grace', password), 200);
  });

  it('creates nobody when the two differ', async (test) => {
    const one = await world(test);
    const { code, stderr } = await one.root.type([password, 'another horse'], 'users', 'create', 'grace');
    assert.equal(code, 2);
    assert.match(stderr, /The two passwords differ: nothing was changed/);
    assert.equal(await one.api.accounts.findUser('grace'), undefined);
  });

  it('takes the password from standard input, and makes a super-admin on demand', async (test) => {
    const one = await world(test);
    const flags = ['--super-admin', '--password-stdin'];
    assert.deepEqual(await one.root.feed(`${password}\n`, 'users', 'create', 'ada', ...flags), {
      code: 0,
      stdout: 'user/ada created\n',
      stderr: '',
    });
    assert.equal((await one.api.accounts.findUser('ada'))?.super_admin, true);
    assert.equal(await login(one, 'ada', password), 200);
  });

  const wrong: [stdin: string, argv: string[], code: number, message: RegExp][] = [
    ['hush', ['grace', '--password-stdin'], 5, /invalid: \/password /],
    ['', ['grace', '--password-stdin'], 2, /must not be empty/],
    [password, ['grace'], 2, /no terminal to ask: Password for grace[^]*--password-stdin/],
    [password, ['Grace!', '--password-stdin'], 5, /invalid: \/username /],
    [password, ['root', '--password-stdin'], 5, /root/],
    ['', ['grace', 'hush hush hush'], 2, /argument too many/],
  ];
  for (const [stdin, argv, code, message] of wrong) {
    it(`ends with ${code}: ${argv.join(' ')} < ${JSON.stringify(stdin)}`, async (test) => {
      const { root } = await world(test);
      const outcome = await root.feed(stdin, 'users', 'create', ...argv);
      assert.deepEqual([outcome.code, outcome.stdout], [code, '']);
      assert.match(outcome.stderr, message);
      assert.doesNotMatch(outcome.stderr, /hush|horse/);
    });
  }

  it('is for super-admins', async (test) => {
    const { api, url } = await world(test);
    const { token } = await giveMember(api, 'grace');
    const grace = await cli(test, { url, token });
    assert.equal((await grace.feed(password, 'users', 'create', 'eve', '--password-stdin')).code, 3);
    assert.equal((await grace.svc('users', 'list')).code, 3);
  });
});

describe('svc users', () => {
  it('lists them', async (test) => {
    const { api, root } = await world(test);
    await giveMember(api, 'grace');
    await api.clock.advance(180_000);
    const { stdout } = await root.svc('users', 'list');
    assert.deepEqual(stdout.split('\n').sort(), [
      '',
      'NAME    SUPER-ADMIN   AGE',
      'grace   -             3m',
      'root    yes           3m',
    ]);
    assert.match((await root.svc('users', 'list', '-o', 'wide')).stdout, /usr_/);
    assert.match((await root.svc('users', 'list', '-o', 'json')).stdout, /"super_admin": true/);
    assert.equal((await root.svc('users', 'list', '-o', 'xml')).code, 2);
  });

  it('raises and lowers one', async (test) => {
    const { api, root } = await world(test);
    await giveMember(api, 'grace');
    assert.equal(
      (await root.svc('users', 'update', 'grace', '--super-admin')).stdout,
      'user/grace is a super-admin\n',
    );
    assert.equal((await api.accounts.findUser('grace'))?.super_admin, true);
    assert.equal(
      (await root.svc('users', 'update', 'grace', '--no-super-admin')).stdout,
      'user/grace is no super-admin\n',
    );
    assert.equal((await api.accounts.findUser('grace'))?.super_admin, false);
    assert.equal((await root.svc('users', 'update', 'grace')).code, 2);
    assert.equal((await root.svc('users', 'update', 'nobody', '--super-admin')).code, 4);
  });

  it('deletes one, whose token ends at once', async (test) => {
    const { api, url, root } = await world(test);
    const { token } = await giveMember(api, 'grace');
    const grace = await cli(test, { url, token });
    assert.equal((await grace.svc('get', 'projects')).code, 0);
    assert.equal((await root.svc('users', 'delete', 'grace')).stdout, 'user/grace deleted\n');
    assert.equal((await grace.svc('get', 'projects')).code, 3);
    assert.equal((await root.svc('users', 'delete', 'grace')).code, 4);
    assert.equal((await root.svc('users', 'delete', '..')).code, 2);
  });
});

describe('svc users password', () => {
  /** Grace, with a password and a login. */
  async function grace(test: TestContext): Promise<World & { user: Cli }> {
    const one = await world(test);
    await one.root.feed(password, 'users', 'create', 'grace', '--password-stdin');
    const user = await cli(test);
    const flags = ['--url', one.url, '--username', 'grace', '--password-stdin'];
    const { code, stderr } = await user.feed(password, 'auth', ...flags);
    assert.equal(code, 0, stderr);
    return { ...one, user };
  }

  const next = 'another horse, another battery';

  it('changes your own on a terminal', async (test) => {
    const one = await grace(test);
    assert.deepEqual(await one.user.type([password, next, next], 'users', 'password'), {
      code: 0,
      stdout: 'Your password has changed.\n',
      stderr:
        'Current password: \nNew password: \nThe same again: \nYour other sessions have ended; API tokens go on. See them with: svc tokens list\n',
    });
    assert.deepEqual([await login(one, 'grace', password), await login(one, 'grace', next)], [401, 200]);
    assert.equal((await one.user.svc('get', 'projects')).code, 0);
  });

  it('changes your own from standard input, and ends other tokens on demand', async (test) => {
    const one = await grace(test);
    const { stdout: other } = await one.user.svc('tokens', 'create', 'other');
    const flags = ['--password-stdin', '--revoke-tokens'];
    const { code, stderr } = await one.user.feed(`${password}\n${next}\n`, 'users', 'password', ...flags);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /this login goes on/);
    assert.equal(await login(one, 'grace', next), 200);
    assert.equal((await one.api.call('GET', '/v1/me', undefined, bearer(other.trim()))).status, 401);
    assert.equal((await one.user.svc('get', 'projects')).code, 0);
  });

  const wrong: [stdin: string, argv: string[], code: number, message: RegExp][] = [
    [`a wrong horse\n${next}\n`, ['--password-stdin'], 5, /\/current_password is wrong/],
    [`${password}\nhush\n`, ['--password-stdin'], 5, /invalid: \/password /],
    [password, ['--password-stdin'], 2, /two lines/],
    [`${password}\n${next}\nmore\n`, ['--password-stdin'], 2, /two lines/],
    ['', [], 2, /no terminal/],
    [next, ['root', '--password-stdin', '--revoke-tokens'], 2, /your own password/],
    [next, ['root', '--password-stdin'], 3, /super-admin/],
  ];
  for (const [stdin, argv, code, message] of wrong) {
    it(`ends with ${code}: ${argv.join(' ')} < ${JSON.stringify(stdin)}`, async (test) => {
      const one = await grace(test);
      const outcome = await one.user.feed(stdin, 'users', 'password', ...argv);
      assert.deepEqual([outcome.code, outcome.stdout], [code, '']);
      assert.match(outcome.stderr, message);
      assert.doesNotMatch(outcome.stderr, /hush|horse/);
      assert.equal(await login(one, 'grace', password), 200);
    });
  }

  it('gives another a new one, and ends all that the old one gave out', async (test) => {
    const one = await grace(test);
    const outcome = await one.root.feed(next, 'users', 'password', 'grace', '--password-stdin');
    assert.deepEqual(outcome, {
      code: 0,
      stdout: 'user/grace has a new password\n',
      stderr: 'All sessions and tokens of grace have ended.\n',
    });
    assert.equal(await login(one, 'grace', next), 200);
    assert.equal((await one.user.svc('get', 'projects')).code, 3);
  });
});
