import assert from 'node:assert/strict';
import { readFile, readdir, stat, writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { parse } from 'smol-toml';
import { testApi, type TestApi } from '../../support/api.ts';
import { cli, listening, type Cli, type Outcome } from '../../support/cli.ts';
import { answerJson, scriptedServer } from '../../support/http-server.ts';

const password = 'correct horse battery';

interface World {
  api: TestApi;
  url: string;
  user: Cli;
}

/** A new node on this machine, and a user who ran `svc setup` there. */
async function world(test: TestContext): Promise<World> {
  const api = await testApi(test, { fresh: true });
  const user = await cli(test);
  await mkdir(user.configDir, { recursive: true });
  await writeFile(join(user.configDir, 'bootstrap.token'), `${api.bootstrapToken}\n`);
  return { api, url: await listening(api), user };
}

const bootstrap = ({ user, url }: World) =>
  user.feed(`${password}\n`, 'auth', '--bootstrap', '--url', url, '--username', 'ada', '--password-stdin');

const login = ({ user, url }: World, ...flags: string[]) =>
  user.feed(`${password}\n`, 'auth', '--url', url, '--username', 'ada', '--password-stdin', ...flags);

async function saved(user: Cli, file = 'client.toml'): Promise<Record<string, unknown>> {
  return parse(await readFile(join(user.configDir, file), 'utf8'));
}

/** Nothing that was said may hold a secret. */
function keepsSecrets({ stdout, stderr }: Outcome, ...secrets: unknown[]): void {
  for (const secret of [password, ...secrets]) assert.ok(!`${stdout}${stderr}`.includes(String(secret)));
  assert.doesNotMatch(`${stdout}${stderr}`, /svc_(api|session|boot)/);
}

describe('svc auth', () => {
  it('makes the first account, logs in and saves an API token that works', async (test) => {
    const one = await world(test);
    const { api, user, url } = one;
    const outcome = await bootstrap(one);
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.match(outcome.stdout, /^Logged in to .* as ada\. Saved in .*client\.toml\.\n$/);

    const config = await saved(user);
    assert.deepEqual(Object.keys(config), ['url', 'token']);
    assert.equal(config['url'], url);
    assert.equal((await stat(join(user.configDir, 'client.toml'))).mode & 0o777, 0o600);
    keepsSecrets(outcome, config['token'], api.bootstrapToken);

    const headers = { authorization: `Bearer ${String(config['token'])}` };
    assert.equal((await api.call('GET', '/v1/me', undefined, headers)).json<{ kind: string }>().kind, 'api');
    assert.equal((await user.svc('get', 'projects')).code, 0);
  });

  it('makes the first account only once', async (test) => {
    const one = await world(test);
    await bootstrap(one);
    const outcome = await bootstrap(one);
    assert.equal(outcome.code, 5);
    assert.match(outcome.stderr, /has an account already/);
    keepsSecrets(outcome, one.api.bootstrapToken);
  });

  it('says why a password is refused, without it', async (test) => {
    const one = await world(test);
    const outcome = await one.user.feed(
      'hush',
      'auth',
      '--bootstrap',
      '--url',
      one.url,
      '--username',
      'ada',
      '--password-stdin',
    );
    assert.equal(outcome.code, 5);
    assert.match(outcome.stderr, /\/password/);
    keepsSecrets(outcome, 'hush', one.api.bootstrapToken);
  });

  it('logs in again, and leaves one API token per login and no session behind', async (test) => {
    const one = await world(test);
    await bootstrap(one);
    assert.equal((await login(one)).code, 0);
    assert.equal((await login(one, '--token-name', 'ci')).code, 0);
    const ada = await one.api.accounts.findUser('ada');
    const tokens = await one.api.accounts.listTokens(ada?.id ?? '', 'api');
    assert.deepEqual(tokens.map(({ name }) => name).sort(), ['ci', 'svc-cli gh@laptop', 'svc-cli gh@laptop']);
    assert.deepEqual(await one.api.accounts.listTokens(ada?.id ?? '', 'session'), []);
  });

  it('keeps profiles apart', async (test) => {
    const one = await world(test);
    await bootstrap(one);
    const before = await saved(one.user);
    assert.equal((await login(one, '--profile', 'prod')).code, 0);
    assert.deepEqual(await saved(one.user), before);
    assert.notEqual((await saved(one.user, 'client.prod.toml'))['token'], before['token']);
    assert.equal((await one.user.svc('get', 'projects', '--profile', 'prod')).code, 0);
  });

  it('says no to a wrong password, and saves nothing', async (test) => {
    const one = await world(test);
    await bootstrap(one);
    const before = await saved(one.user);
    for (const name of ['ada', 'nobody']) {
      const outcome = await one.user.feed(
        'a wrong password',
        'auth',
        '--url',
        one.url,
        '--username',
        name,
        '--password-stdin',
      );
      assert.equal(outcome.code, 3);
      assert.match(outcome.stderr, /Wrong username or password/);
      keepsSecrets(outcome, 'a wrong password');
    }
    assert.deepEqual(await saved(one.user), before);
  });

  it('saves nothing when the minted token does not work', async (test) => {
    const user = await cli(test);
    const server = await scriptedServer(test, ({ path, headers }, response) => {
      if (path === '/v1/auth/login') answerJson(response, { token: 'svc_session_hush', user: {} });
      else if (path === '/v1/api-tokens') answerJson(response, { id: 'tok_1', token: 'svc_api_hush' }, 201);
      else if (path === '/v1/me')
        answerJson(response, {
          kind: 'api',
          user: { username: 'eve' },
          super_admin: false,
          asked: headers.authorization,
        });
      else response.writeHead(204).end();
    });
    const outcome = await user.feed(
      password,
      'auth',
      '--url',
      server.url,
      '--username',
      'ada',
      '--password-stdin',
    );
    assert.equal(outcome.code, 3);
    keepsSecrets(outcome);
    await assert.rejects(readdir(user.configDir), { code: 'ENOENT' });
    assert.deepEqual(
      server.asked.map(({ method, path, headers }) => [method, path, headers.authorization]),
      [
        ['POST', '/v1/auth/login', undefined],
        ['POST', '/v1/api-tokens', 'Bearer svc_session_hush'],
        ['GET', '/v1/me', 'Bearer svc_api_hush'],
        ['DELETE', '/v1/api-tokens/tok_1', 'Bearer svc_session_hush'],
        ['POST', '/v1/auth/logout', 'Bearer svc_session_hush'],
      ],
    );
  });

  it('does not ask where nobody can answer', async (test) => {
    const user = await cli(test);
    for (const flags of [
      [],
      ['--url', 'http://127.0.0.1:1'],
      ['--url', 'http://127.0.0.1:1', '--username', 'ada'],
    ]) {
      const outcome = await user.svc('auth', ...flags);
      assert.equal(outcome.code, 2);
      assert.match(outcome.stderr, /no terminal to ask[^]*--password-stdin/);
    }
    assert.match((await user.feed(password, 'auth', '--password-stdin')).stderr, /leaves no way to ask/);
  });

  it('warns before a password crosses a network in the clear', async (test) => {
    const user = await cli(test);
    const outcome = await user.feed(
      password,
      'auth',
      '--url',
      'http://node.invalid',
      '--username',
      'ada',
      '--password-stdin',
    );
    assert.equal(outcome.code, 6);
    assert.match(outcome.stderr, /not encrypted/);
    keepsSecrets(outcome);
  });

  it('says what to do with the bootstrap token of another node', async (test) => {
    const one = await world(test);
    const other = one.api.bootstrapToken.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    await writeFile(join(one.user.configDir, 'bootstrap.token'), `${other}\n`);
    const outcome = await bootstrap(one);
    assert.equal(outcome.code, 3);
    assert.match(outcome.stderr, /svc setup --force/);
    keepsSecrets(outcome, other);
  });

  it('says what to do without a bootstrap token', async (test) => {
    const outcome = await (
      await cli(test)
    ).feed(
      password,
      'auth',
      '--bootstrap',
      '--url',
      'http://127.0.0.1:1',
      '--username',
      'a',
      '--password-stdin',
    );
    assert.equal(outcome.code, 3);
    assert.match(outcome.stderr, /no bootstrap token[^]*svc setup/);
  });
});
