import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { DeployKeyResource, Page, RegistryResource } from '../../../specs/resources.ts';
import { giveMember, giveService, testApi, type TestApi } from '../../support/api.ts';
import { cli, clockOf, golden, listening, type Cli } from '../../support/cli.ts';
import { makeKey } from '../../support/ssh-keygen.ts';

interface World {
  api: TestApi;
  url: string;
  /** Of project `shop`, which has the service `web`. */
  projectId: string;
  /** A super-admin. */
  root: Cli;
}

async function world(test: TestContext): Promise<World> {
  const api = await testApi(test);
  const { project } = await giveService(api);
  const url = await listening(api);
  const root = await cli(test, { url, token: api.token, clock: clockOf(api) });
  return { api, url, projectId: project.id, root };
}

describe('svc members', () => {
  it('gives, changes, shows and takes away a role', async (test) => {
    const { api, url, root } = await world(test);
    const { token } = await giveMember(api, 'grace');
    const grace = await cli(test, { url, token });
    assert.equal((await grace.svc('get', 'services', '-o', 'name')).stdout, '');
    assert.deepEqual(await root.svc('members', 'set', 'grace', 'viewer', '-p', 'shop'), {
      code: 0,
      stdout: 'member/grace is Viewer in shop\n',
      stderr: '',
    });
    assert.equal((await grace.svc('get', 'services', '-o', 'name')).stdout, 'service/shop/web\n');
    assert.equal((await root.svc('members', 'set', 'grace', 'Admin', '-p', 'shop')).code, 0);
    assert.equal(
      (await grace.svc('members', 'list', '-p', 'shop')).stdout.replaceAll(/\d+s/g, '0s'),
      'USER    ROLE    SINCE\ngrace   Admin   0s\n',
    );
    const last = await root.svc('members', 'remove', 'grace', '-p', 'shop');
    assert.equal(last.code, 5);
    await giveMember(api, 'ada');
    await root.svc('members', 'set', 'ada', 'Admin', '-p', 'shop');
    assert.equal(
      (await root.svc('members', 'remove', 'grace', '-p', 'shop')).stdout,
      'member/grace removed from shop\n',
    );
    assert.equal((await grace.svc('get', 'services', '-o', 'name')).stdout, '');
    assert.equal((await grace.svc('members', 'list', '-p', 'shop')).code, 4);
  });

  it('takes the project from .svc', async (test) => {
    const { root } = await world(test);
    assert.equal((await root.svc('members', 'list')).code, 2);
    await writeFile(join(root.cwd, '.svc'), 'project = "shop"\n');
    assert.deepEqual(await root.svc('members', 'list'), {
      code: 0,
      stdout: '',
      stderr: 'No members found.\n',
    });
  });

  const wrong: [argv: string[], code: number, message: RegExp][] = [
    [['set', 'root', 'Opertor', '-p', 'shop'], 2, /Did you mean "Operator"/],
    [['set', 'nobody', 'Operator', '-p', 'shop'], 4, /./],
    [['set', 'root', 'Operator', '-p', 'nope'], 4, /./],
    [['remove', '..', '-p', 'shop'], 2, /nobody's name/],
    [['remove', 'root', '-p', 'shop'], 4, /./],
  ];
  for (const [argv, code, message] of wrong) {
    it(`ends with ${code}: svc members ${argv.join(' ')}`, async (test) => {
      const outcome = await (await world(test)).root.svc('members', ...argv);
      assert.deepEqual([outcome.code, outcome.stdout], [code, '']);
      assert.match(outcome.stderr, message);
    });
  }
});

describe('svc registries', () => {
  it('adds, lists and removes one, and shows no password', async (test) => {
    const { api, projectId, root } = await world(test);
    const added = await root.type(
      ['hush hush'],
      'registries',
      'add',
      'ghcr.io',
      '--username',
      'ada',
      '-p',
      'shop',
    );
    assert.deepEqual(added, {
      code: 0,
      stdout: 'registry/ghcr.io added to shop\n',
      stderr: 'Password of ada at ghcr.io: \n',
    });
    const url = `/v1/projects/${projectId}/registries`;
    const [registry] = (await api.call('GET', url)).json<Page<RegistryResource>>().items;
    const owner = registry?.id ?? '';
    assert.equal(
      await api.store.vault.open({ kind: 'registry-password', owner, name: '', version: 1 }),
      'hush hush',
    );
    const server = 'registry.example.com:5000';
    const flags = ['--username', 'ci', '--password-stdin', '-p', 'shop'];
    assert.equal((await root.feed('other hush\n', 'registries', 'add', server, ...flags)).code, 0);
    const { stdout } = await root.svc('registries', 'list', '-p', 'shop');
    assert.deepEqual(stdout.split('\n').sort(), [
      '',
      'SERVER                      USER   AGE',
      'ghcr.io                     ada    0s',
      'registry.example.com:5000   ci     0s',
    ]);
    assert.doesNotMatch((await root.svc('registries', 'list', '-p', 'shop', '-o', 'json')).stdout, /hush/);
    assert.equal(
      (await root.svc('registries', 'remove', server, '-p', 'shop')).stdout,
      `registry/${server} removed from shop\n`,
    );
    assert.equal((await root.svc('registries', 'remove', server, '-p', 'shop')).code, 4);
  });

  it('does not ask where nobody can answer, and repeats no password', async (test) => {
    const { root } = await world(test);
    const line = ['registries', 'add', 'ghcr.io', '--username', 'ada', '-p', 'shop'];
    for (const [stdin, more, code] of [
      ['', [], 2],
      ['hsh', ['--password-stdin'], 5],
      ['', ['hush'], 2],
    ] as const) {
      const outcome = await root.feed(stdin, ...line, ...more);
      assert.equal(outcome.code, code);
      assert.doesNotMatch(outcome.stderr, /hush|hsh/);
    }
  });
});

describe('svc projects deploy-key', () => {
  const line = (...argv: string[]) => ['projects', 'deploy-key', ...argv];

  it('makes one on the node and prints its public half', async (test) => {
    const { api, projectId, root } = await world(test);
    const { code, stdout, stderr } = await root.svc(...line('generate', 'shop'));
    assert.equal(code, 0, stderr);
    const key = (await api.call('GET', `/v1/projects/${projectId}/deploy-key`)).json<DeployKeyResource>();
    assert.equal(stdout, `${key.public_key}\n`);
    assert.match(stdout, /^ssh-ed25519 AAAA/);
    assert.ok(stderr.startsWith(`Fingerprint: ${key.fingerprint}\n`));
    assert.match(stderr, /deploy key of the repository that may only read/);
    assert.equal((await root.svc(...line('generate', 'shop'))).code, 5);
  });

  it('takes one from a file or standard input, shows it and deletes it', async (test) => {
    const { root } = await world(test);
    const [one, two] = [await makeKey(test, '-t ed25519'), await makeKey(test, '-t ecdsa')];
    await writeFile(join(root.cwd, 'key'), one.private_key);
    const set = await root.svc(...line('set', 'shop', '--from-file', 'key'));
    assert.match(set.stdout, /^deploy-key\/shop set: ssh-ed25519 SHA256:/, set.stderr);
    assert.equal((await root.feed(two.private_key, ...line('set', 'shop'))).code, 0);
    const shown = await root.svc(...line('show', 'shop'));
    assert.match(golden(shown.stdout), /^Type: +ecdsa-sha2-nistp256 \(256 bits\)\nFingerprint: +SHA256:/);
    assert.ok(shown.stdout.includes(two.public_key.split(' ')[1] ?? '?'));
    assert.doesNotMatch(shown.stdout, /PRIVATE/);
    const document = JSON.parse((await root.svc(...line('show', 'shop', '-o', 'json'))).stdout) as object;
    assert.ok('fingerprint' in document);
    assert.equal((await root.svc(...line('delete', 'shop'))).stdout, 'deploy-key/shop deleted\n');
    const gone = await root.svc(...line('show', 'shop'));
    assert.equal(gone.code, 4);
    assert.match(gone.stderr, /svc projects deploy-key generate shop/);
  });

  it('repeats nothing of a key that is refused', async (test) => {
    const { root } = await world(test);
    const { private_key } = await makeKey(test, '-t ed25519', 'a passphrase');
    const locked = await root.feed(private_key, ...line('set', 'shop'));
    assert.equal(locked.code, 5);
    assert.match(locked.stderr, /\/private_key has a passphrase/);
    assert.ok(!locked.stderr.includes(private_key.split('\n')[1] ?? '?'));
    assert.equal((await root.feed('hush', ...line('set', 'shop'))).code, 5);
    assert.equal((await root.type([], ...line('set', 'shop'))).code, 2);
    assert.equal((await root.svc(...line('show', 'shop', '-o', 'name'))).code, 2);
  });
});

describe('svc describe project', () => {
  it('shows members, registries and the fingerprint', async (test) => {
    const { api, projectId, root } = await world(test);
    await giveMember(api, 'grace', { [projectId]: 'Operator' });
    await root.feed(
      'hush hush',
      'registries',
      'add',
      'ghcr.io',
      '--username',
      'ada',
      '-p',
      'shop',
      '--password-stdin',
    );
    await root.svc('projects', 'deploy-key', 'generate', 'shop');
    const { stdout } = await root.svc('describe', 'project', 'shop');
    assert.match(stdout, /\nMembers:\n {2}USER +ROLE +SINCE\n {2}grace +Operator/);
    assert.match(stdout, /\nRegistries:\n {2}SERVER +USER +AGE\n {2}ghcr\.io +ada/);
    assert.match(stdout, /\nDeploy key:\n {2}Type: +ssh-ed25519 \(256 bits\)\n {2}Fingerprint: +SHA256:/);
  });

  it('says what a Viewer is not shown', async (test) => {
    const { api, url, projectId } = await world(test);
    const { token } = await giveMember(api, 'grace', { [projectId]: 'Viewer' });
    const { code, stdout } = await (await cli(test, { url, token })).svc('describe', 'project', 'shop');
    assert.equal(code, 0);
    for (const part of ['Members', 'Registries', 'Deploy key'])
      assert.match(stdout, new RegExp(`\n${part}:\n {2}not shown: your role is too low\n`));
  });
});

describe('svc projects list', () => {
  it('is what svc get projects is', async (test) => {
    const { root } = await world(test);
    assert.deepEqual(await root.svc('projects', 'list'), await root.svc('get', 'projects'));
  });
});
