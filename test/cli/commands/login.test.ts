/** A login over its life: made, replaced, looked at and ended. */
import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { parse } from 'smol-toml';
import type { Me } from '../../../specs/account.ts';
import { bearer, giveMember, giveToken, testApi, type TestApi } from '../../support/api.ts';
import { cli, clockOf, golden, listening, type Cli } from '../../support/cli.ts';
import { answerProblem, scriptedServer } from '../../support/http-server.ts';

const password = 'correct horse battery';

interface World {
  api: TestApi;
  url: string;
  /** Grace, who has no login yet. */
  user: Cli;
}

async function world(test: TestContext): Promise<World> {
  const api = await testApi(test);
  const url = await listening(api);
  const root = await cli(test, { url, token: api.token });
  const { code } = await root.feed(password, 'users', 'create', 'grace', '--password-stdin');
  assert.equal(code, 0);
  return { api, url, user: await cli(test, { clock: clockOf(api) }) };
}

const logIn = ({ user, url }: World, ...flags: string[]) =>
  user.feed(password, 'auth', '--url', url, '--username', 'grace', '--password-stdin', ...flags);

async function savedToken({ user }: World, file = 'client.toml'): Promise<string> {
  const { token } = parse(await readFile(join(user.configDir, file), 'utf8')) as { token: string };
  return token;
}

const status = async ({ api }: World, token: string) =>
  (await api.call('GET', '/v1/me', undefined, bearer(token))).status;

async function tokenNames({ api }: World): Promise<string[]> {
  const grace = await api.accounts.findUser('grace');
  return (await api.accounts.listTokens(grace?.id ?? '', 'api')).map(({ name }) => name);
}

describe('svc auth', () => {
  it('asks for address, name and password, and shows the password to nobody', async (test) => {
    const one = await world(test);
    const { code, stdout, stderr } = await one.user.type([one.url, 'grace', password], 'auth');
    assert.equal(code, 0, stderr);
    assert.equal(golden(stderr), 'Address of the node [http://127.0.0.1:PORT]: User name: Password: \n');
    assert.ok(!stdout.includes(password));
    assert.equal(await status(one, await savedToken(one)), 200);
  });

  it('names the token after who made it and where', async (test) => {
    const one = await world(test);
    await logIn(one);
    assert.deepEqual(await tokenNames(one), ['svc-cli gh@laptop']);
  });

  it('tells of the token that it replaces, which stays valid', async (test) => {
    const one = await world(test);
    const first = await logIn(one);
    assert.equal(first.stderr, '');
    const before = await savedToken(one);
    const { stderr } = await logIn(one);
    assert.equal(
      golden(stderr),
      'The token that was saved before ("svc-cli gh@laptop") is still valid.\nIf nothing else uses it, revoke it with: svc tokens revoke tok_…\n',
    );
    assert.equal(await status(one, before), 200);
    const [, id = ''] = /revoke (tok_\w+)/.exec(stderr) ?? [];
    assert.equal((await one.user.svc('tokens', 'revoke', id)).code, 0);
    assert.deepEqual([await status(one, before), await status(one, await savedToken(one))], [401, 200]);
    assert.equal((await logIn(one, '--profile', 'other')).stderr, '');
  });

  it('tells of one for another node', async (test) => {
    const [one, other] = [await world(test), await world(test)];
    await logIn(one);
    const { stderr } = await logIn({ ...one, url: other.url });
    assert.match(
      stderr,
      /^The token that was saved before, for http:\/\/127\.0\.0\.1:\d+, was not revoked\.\n$/,
    );
  });

  it('leaves no token behind that could not be saved', async (test) => {
    const one = await world(test);
    await mkdir(join(one.user.configDir, 'client.toml'), { recursive: true });
    const { code, stdout } = await logIn(one);
    assert.deepEqual([code, stdout], [1, '']);
    assert.deepEqual(await tokenNames(one), []);
  });

  it('says when to try again after too many wrong passwords', async (test) => {
    const one = await world(test);
    const wrong = () =>
      one.user.feed('wrong', 'auth', '--url', one.url, '--username', 'grace', '--password-stdin');
    let outcome = await wrong();
    assert.match(outcome.stderr, /Wrong username or password\.\n.*Check both, and try again\./);
    for (let tries = 0; tries < 10 && outcome.code !== 1; tries += 1) outcome = await wrong();
    assert.equal(outcome.code, 1);
    assert.match(outcome.stderr, /Too many wrong passwords[^]*Try again in \d+ s\./);
  });

  it('says it in minutes where it takes long, and passes a date on', async (test) => {
    const waits = ['900', 'Wed, 21 Oct 2026 07:28:00 GMT'];
    const server = await scriptedServer(test, (_asked, response) => {
      response.setHeader('retry-after', waits.shift() ?? '');
      answerProblem(response, 'rate_limited', 'Too many wrong passwords.');
    });
    const user = await cli(test);
    const line = ['auth', '--url', server.url, '--username', 'grace', '--password-stdin'];
    assert.match((await user.feed('x', ...line)).stderr, /Try again in 15 min\./);
    assert.match((await user.feed('x', ...line)).stderr, /Try again after Wed, 21 Oct 2026 07:28:00 GMT\./);
  });
});

describe('svc auth status', () => {
  it('shows who is logged in where', async (test) => {
    const one = await world(test);
    await logIn(one);
    const { code, stdout } = await one.user.svc('auth', 'status');
    assert.equal(code, 0);
    assert.equal(
      golden(stdout).replaceAll(one.user.configDir, 'CONFIG'),
      `Node:         http://127.0.0.1:PORT
Login from:   CONFIG/client.toml
User:         grace
Super-admin:  no
Token:        svc-cli gh@laptop (tok_…)
Made:         2030-01-01T00:00:00.000Z (0s ago)
Expires:      never
Projects:     none: ask an Admin of one for a role
`,
    );
    assert.ok(!stdout.includes(await savedToken(one)));
    const me = JSON.parse((await one.user.svc('auth', 'status', '-o', 'json')).stdout) as Me;
    assert.equal(me.user?.username, 'grace');
  });

  it('shows roles, and the limits of a token', async (test) => {
    const { api, url } = await world(test);
    const { id } = (await api.call('POST', '/v1/projects', { name: 'shop' })).json<{ id: string }>();
    const { token } = await giveMember(api, 'ada', { [id]: 'Operator' });
    const ada = await cli(test, { url, token });
    const made = await ada.svc('tokens', 'create', 'ci', '--project', 'shop', '--role', 'Viewer');
    const ci = await cli(test, { url, token: made.stdout.trim() });
    assert.match((await ada.svc('auth', 'status')).stdout, /\nProjects: +shop: Operator\n$/);
    const { stdout } = await ci.svc('auth', 'status');
    assert.match(stdout, /\nLogin from: +SVC_URL and SVC_TOKEN\n/);
    assert.match(stdout, /\nToken: +ci \(tok_\w+\), project shop only, no more than Viewer\n/);
    assert.match(stdout, /\nProjects: +shop: Viewer\n$/);
  });

  it('ends with 3 where nobody is, or no longer', async (test) => {
    const one = await world(test);
    assert.equal((await one.user.svc('auth', 'status')).code, 3);
    await logIn(one);
    await one.api.accounts.deleteToken(
      (await one.api.accounts.listTokens(await idOf(one), 'api'))[0]?.id ?? '',
    );
    assert.equal((await one.user.svc('auth', 'status')).code, 3);
  });
});

async function idOf({ api }: World): Promise<string> {
  return (await api.accounts.findUser('grace'))?.id ?? '';
}

describe('svc auth logout', () => {
  const file = ({ user }: World) => join(user.configDir, 'client.toml');
  const isThere = (path: string) =>
    stat(path).then(
      () => true,
      () => false,
    );

  it('revokes the token and removes the file', async (test) => {
    const one = await world(test);
    await logIn(one);
    const token = await savedToken(one);
    const outcome = await one.user.svc('auth', 'logout');
    assert.deepEqual(
      [outcome.code, golden(outcome.stdout).replaceAll(one.user.configDir, 'CONFIG'), outcome.stderr],
      [
        0,
        'Logged out of http://127.0.0.1:PORT. Removed CONFIG/client.toml.\n',
        'The token "svc-cli gh@laptop" is revoked.\n',
      ],
    );
    assert.deepEqual([await status(one, token), await isThere(file(one))], [401, false]);
    assert.equal((await one.user.svc('auth', 'logout')).code, 3);
  });

  it('revokes a limited token too', async (test) => {
    const one = await world(test);
    await logIn(one);
    const token = await giveToken(one.api.accounts, one.api.clock, await idOf(one), 'api', null, {
      role: 'Viewer',
    });
    await writeFile(file(one), `url = "${one.url}"\ntoken = "${token}"\n`, { mode: 0o600 });
    const { code, stderr } = await one.user.svc('auth', 'logout');
    assert.deepEqual([code, stderr], [0, 'The token "test" is revoked.\n']);
    assert.deepEqual([await status(one, token), await isThere(file(one))], [401, false]);
  });

  it('removes a file whose token no longer holds', async (test) => {
    const one = await world(test);
    await logIn(one);
    await one.api.accounts.deleteUser(await idOf(one));
    const { code, stderr } = await one.user.svc('auth', 'logout');
    assert.deepEqual([code, stderr], [0, 'The token was no longer valid.\n']);
    assert.equal(await isThere(file(one)), false);
  });

  it('keeps the file while the node is out of reach, unless forced', async (test) => {
    const one = await world(test);
    await logIn(one);
    await one.api.app.close();
    const { code, stderr } = await one.user.svc('auth', 'logout');
    assert.equal(code, 6);
    assert.match(stderr, /could not be revoked[^]*--force/);
    assert.equal(await isThere(file(one)), true);
    const forced = await one.user.svc('auth', 'logout', '--force');
    assert.equal(forced.code, 0);
    assert.match(forced.stderr, /the token is still valid/);
    assert.equal(await isThere(file(one)), false);
  });

  it('has nothing to remove for SVC_TOKEN', async (test) => {
    const { api, url } = await world(test);
    const user = await cli(test, { url, token: api.token });
    assert.equal((await user.svc('auth', 'logout')).code, 2);
    assert.equal((await user.svc('auth', 'status')).code, 0);
  });
});

describe('a login that others may read', () => {
  it('is replaced by one that only its owner may', async (test) => {
    const one = await world(test);
    await logIn(one);
    await chmod(join(one.user.configDir, 'client.toml'), 0o644);
    await logIn(one);
    assert.equal((await stat(join(one.user.configDir, 'client.toml'))).mode & 0o777, 0o600);
  });
});
