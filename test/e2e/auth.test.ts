/** Who gets in, on a node and a client as they are used; and that no secret lies about. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runDirOf } from '../../cli/daemon/directories.ts';
import { findSurvivors } from '../../ingress/supervisor/survivors.ts';
import type { ApiToken, Session } from '../../specs/account.ts';
import type { Page } from '../../specs/resources.ts';
import { ask } from '../support/http-answer.ts';
import { must, startNode, type TestNode } from '../support/node.ts';
import { callApi, fromApi, tokenOf } from '../support/node-api.ts';

const password = 'correct horse battery';
const wrong = 'incorrect horse battery';
const usual = process.umask(0o022);
/** Everything that must not be found where it does not belong. */
const secrets = new Set<string>([password, wrong]);

let node: TestNode;

before(async () => {
  node = await startNode(['--log-level', 'trace']);
  secrets.add(await tokenOf(node));
  secrets.add((await readFile(join(node.clientDir, 'bootstrap.token'), 'utf8')).trim());
});

after(async () => {
  process.umask(usual);
  await node.stop();
});

const login = (username: string, input: string, ...flags: string[]) =>
  node.svc(['auth', '--url', node.apiUrl, '--username', username, '--password-stdin', ...flags], { input });

describe('the first account', () => {
  it('is made once', async () => {
    const second = await login('eve', password, '--bootstrap');
    assert.equal(second.code, 5, second.stderr);
    assert.match(second.stderr, /has an account already/);
    assert.equal((await login('eve', password)).code, 3);
  });

  it('is not made with a token of another node, nor with none', async () => {
    const body = { username: 'eve', password };
    for (const token of ['svc_boot_0000', await tokenOf(node), 'x']) {
      const { status } = await callApi(node, 'POST', '/v1/bootstrap', body, token);
      assert.ok(status === 401 || status === 403, String(status));
    }
  });
});

describe('a login', () => {
  it('with a wrong password or name is refused in the same words, and changes nothing', async () => {
    const before = await tokenOf(node);
    const [password, name] = [await login('admin', wrong), await login('nobody', wrong)];
    assert.equal(password.code, 3);
    assert.deepEqual(
      [name.code, withoutRequest(name.stderr)],
      [password.code, withoutRequest(password.stderr)],
    );
    assert.equal(await tokenOf(node), before);
  });

  it('gives a token that works until it is revoked', async () => {
    await must(login('admin', password, '--profile', 'second', '--token-name', 'the second'));
    const path = join(node.clientDir, 'client.second.toml');
    const token = /token = "(.*)"/.exec(await readFile(path, 'utf8'))?.[1] ?? '';
    secrets.add(token);
    await must(node.svc(['get', 'projects', '--profile', 'second']));
    assert.equal((await callApi(node, 'GET', '/v1/me', undefined, token)).status, 200);

    const { items } = await fromApi<Page<ApiToken>>(node, 'GET', '/v1/api-tokens');
    const id = items.find(({ name }) => name === 'the second')?.id ?? '';
    assert.equal((await callApi(node, 'DELETE', `/v1/api-tokens/${id}`)).status, 204);

    const refused = await callApi(node, 'GET', '/v1/me', undefined, token);
    assert.equal(refused.status, 401);
    assert.match(String(refused.headers['www-authenticate']), /^Bearer/);
    const ran = await node.svc(['get', 'projects', '--profile', 'second']);
    assert.equal(ran.code, 3);
    assert.match(ran.stderr, /svc auth/);
    await must(node.svc(['get', 'projects']));
  });

  it('opens a session that ends when it is logged out', async () => {
    const body = { username: 'admin', password };
    const { token } = await fromApi<Session>(node, 'POST', '/v1/auth/login', body);
    secrets.add(token);
    assert.equal((await callApi(node, 'GET', '/v1/me', undefined, token)).status, 200);
    assert.equal((await callApi(node, 'POST', '/v1/auth/logout', undefined, token)).status, 204);
    assert.equal((await callApi(node, 'GET', '/v1/me', undefined, token)).status, 401);
  });

  it('is needed for everything below /v1', async () => {
    const { hostname: host, port } = new URL(node.apiUrl);
    for (const path of ['/v1/me', '/v1/node', '/v1/projects', '/v1/services', '/v1/deployments']) {
      const { status, text } = await ask({ host, port, path });
      assert.equal(status, 401, `${path}: ${text}`);
    }
    assert.equal((await ask({ host, port, path: '/healthz' })).status, 200);
  });
});

describe('secrets', () => {
  it('are in no log, command line or environment of the node, and not readable in its store', async () => {
    const bodies = [`Bearer ${[...secrets][0] ?? ''}`, 'Basic YWRtaW46c2VjcmV0', 'nonsense'];
    const { hostname: host, port } = new URL(node.apiUrl);
    for (const authorization of bodies)
      assert.equal((await ask({ host, port, path: '/v1/me', headers: { authorization } })).status, 401);

    const nodeId = (await readFile(join(node.dataDir, 'node.id'), 'utf8')).trim();
    const members = findSurvivors(runDirOf(nodeId, process.env)).map(({ pid }) => pid);
    assert.ok(members.length >= 3, 'two workers and a bridge');
    const places: [string, string][] = [['log', node.log()]];
    for (const pid of [node.pid(), ...members])
      for (const file of ['cmdline', 'environ'])
        places.push([`${file} of ${pid}`, await readFile(`/proc/${pid}/${file}`, 'latin1')]);
    for (const file of globSync('{svc.db*,ingress/**,logs/**}', { cwd: node.dataDir }))
      if ((await stat(join(node.dataDir, file))).isFile())
        places.push([file, await readFile(join(node.dataDir, file), 'latin1')]);

    assert.match(node.log(), /\/v1\/me/, 'requests are logged');
    assert.ok(places.some(([name]) => name === 'svc.db'));
    for (const [place, text] of places)
      for (const secret of secrets) assert.ok(!text.includes(secret), `a secret stands in ${place}`);
  });

  it('are readable by their owner alone, whatever the umask', async () => {
    for (const dir of [node.dataDir, node.clientDir]) {
      assert.equal(await modeOf(dir), '700');
      for (const name of globSync('**', { cwd: dir })) {
        const path = join(dir, name);
        // Inside a directory that nobody else can pass this is the second wall.
        if ((await stat(path)).isFile()) assert.match(await modeOf(path), /^600$/, name);
      }
    }
  });
});

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o7777).toString(8);
}

const withoutRequest = (text: string) => text.replaceAll(/req\S+|Request id: .*/g, '');
