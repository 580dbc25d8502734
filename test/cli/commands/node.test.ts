import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Cli } from 'clipanion';
import { ServeCommand } from '../../../cli/commands/serve.ts';
import { flagOf, settingFlags } from '../../../cli/commands/settings-flags.ts';
import { createContext } from '../../../cli/context.ts';
import { describeCommand } from '../../../cli/help.ts';
import { systemClock } from '../../../cli/system-clock.ts';
import { settings } from '../../../specs/settings.ts';
import { giveMember, testApi } from '../../support/api.ts';
import { cli, golden, listening } from '../../support/cli.ts';
import { answerJson, scriptedServer } from '../../support/http-server.ts';

describe('svc node status', () => {
  it('shows how the node is', async (test) => {
    const api = await testApi(test, { settings: { controlDomain: 'control.example.com' } });
    const user = await cli(test, { url: await listening(api), token: api.token });
    const { code, stdout, stderr } = await user.svc('node', 'status');
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(
      golden(stdout),
      `Node:            http://127.0.0.1:PORT
Version:         1.2.3
Engine:          reachable, version 20.10
Ingress:         1 worker, serves route set 3
Disk:            50.0 GiB used of 80.0 GiB, 30.0 GiB free (/var/lib/svc, data and images)
Control domain:  control.example.com
Apps domain:     localhost
ACME:            off
`,
    );
    const answer = (await api.call('GET', '/v1/node')).json<unknown>();
    assert.deepEqual(JSON.parse((await user.svc('node', 'status', '-o', 'json')).stdout), answer);
  });

  it('ends with 1 when the engine is out of reach', async (test) => {
    const engine = { reachable: false, version: null, message: 'Start it with: systemctl start docker' };
    const node = {
      version: '1',
      control_domain: null,
      apps_domain: null,
      engine,
      acme: { enabled: false },
      ingress: { workers: [], revision: 0 },
      disks: [
        {
          path: '/images',
          holds: ['images'],
          free_bytes: 2 ** 30,
          total_bytes: 2 ** 34,
          floor_bytes: 2 ** 31,
        },
      ],
    };
    const server = await scriptedServer(test, (_asked, response) => answerJson(response, node));
    const { code, stdout, stderr } = await (await cli(test, { url: server.url })).svc('node', 'status');
    assert.equal(code, 1);
    assert.match(stdout, /^Engine: +out of reach: Start it/m);
    assert.match(
      stdout,
      /^Disk: +15\.0 GiB used of 16\.0 GiB, 1\.0 GiB free \(\/images, images\); below its floor of 2\.0 GiB/m,
    );
    assert.match(stderr, /engine is out of reach[^]*systemctl start docker/);
  });

  it('ends with 6 when the node is', async (test) => {
    const server = await scriptedServer(test, () => undefined);
    await server.close();
    const { code, stderr } = await (await cli(test, { url: server.url })).svc('node', 'status');
    assert.equal(code, 6);
    assert.match(stderr, /is `svc serve` running there\?/);
  });
});

describe('svc setup', () => {
  it('writes key and token for their owner alone, and keeps what is there', async (test) => {
    const user = await cli(test);
    const dataDir = join(user.cwd, 'data');
    const files = [join(dataDir, 'node.key'), join(user.configDir, 'bootstrap.token')];
    const first = await user.svc('setup', '--data-dir', dataDir);
    assert.equal(first.code, 0, first.stderr);
    assert.equal(first.stdout, `Made the node key ${files[0]}\nMade the bootstrap token ${files[1]}\n`);
    assert.match(first.stderr, new RegExp(`svc serve --data-dir ${dataDir}, and in another terminal`));
    for (const file of files) assert.equal((await stat(file)).mode & 0o777, 0o600);
    const token = await readFile(files[1] ?? '', 'utf8');
    assert.ok(!first.stdout.includes(token.trim()) && !first.stderr.includes(token.trim()));

    const again = await user.svc('setup', '--data-dir', dataDir);
    assert.equal(again.stdout, `Kept the node key ${files[0]}\nKept the bootstrap token ${files[1]}\n`);
    assert.equal(await readFile(files[1] ?? '', 'utf8'), token);
    await user.svc('setup', '--data-dir', dataDir, '--force');
    assert.notEqual(await readFile(files[1] ?? '', 'utf8'), token);
  });
});

describe('svc serve', () => {
  function flagsOf(...argv: string[]) {
    const context = createContext({
      ...{
        env: {},
        stdin: process.stdin,
        stdout: process.stdout,
        stderr: process.stderr,
        cwd: '/',
        clock: systemClock,
      },
      ...{
        user: 'gh',
        hostname: 'laptop',
        version: '1',
        onInterrupt: () => undefined,
        onHangup: () => undefined,
      },
    });
    return settingFlags(Cli.from(ServeCommand).process(['serve', ...argv], context));
  }

  it('has a flag for every setting, named like it', () => {
    const { options } = describeCommand(ServeCommand);
    assert.deepEqual(
      options.map(({ flags }) => flags),
      settings.map(({ name }) => `${flagOf(name)} <value>`),
    );
    assert.ok(options.some(({ flags }) => flags === '--http-listen <value>'));
  });

  it('takes each, empty ones too, and nothing that was not given', () => {
    assert.deepEqual(flagsOf(), {});
    const all = settings.flatMap(({ name }) => [flagOf(name), name]);
    assert.deepEqual(flagsOf(...all), Object.fromEntries(settings.map(({ name }) => [name, name])));
    assert.deepEqual(flagsOf('--metrics-listen='), { SERVICE_METRICS_LISTEN: '' });
    assert.deepEqual(flagsOf('--metrics-listen', ''), { SERVICE_METRICS_LISTEN: '' });
  });

  it('names every setting that is wrong at once, before it starts anything', async (test) => {
    const { code, stdout, stderr } = await (
      await cli(test, { env: { SERVICE_HTP_LISTEN: ':80' } })
    ).svc('serve', '--api-listen', 'x', '--ingress-workers', '0');
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(
      stderr,
      /SERVICE_HTP_LISTEN: there is no such setting\. Did you mean "SERVICE_HTTP_LISTEN"\?/,
    );
    assert.match(stderr, /SERVICE_API_LISTEN/);
    assert.match(stderr, /SERVICE_INGRESS_WORKERS/);
  });
});

describe('svc node rotate-key', () => {
  const rotated = { key_version: 2, resealed: 5, unreadable: 0 };

  /** A node that has rotated its key. */
  async function world(test: TestContext, answer: object = rotated) {
    const server = await scriptedServer(test, (_asked, response) => answerJson(response, answer));
    return { server, user: await cli(test, { url: server.url }) };
  }

  const bootstrap =
    'Bootstrap tokens made before are no longer valid. Make one, where it is needed, on the node: svc setup --force\n';

  it('asks first, and says what became of bootstrap tokens', async (test) => {
    const { server, user } = await world(test);
    const { code, stdout, stderr } = await user.type(['yes'], 'node', 'rotate-key');
    assert.deepEqual([code, stdout], [0, 'node key version 2: 5 values sealed anew\n']);
    assert.equal(
      golden(stderr),
      `This gives the node at http://127.0.0.1:PORT a new key. The old one opens nothing on it any more.\nType yes to go on: ${bootstrap}`,
    );
    assert.deepEqual(
      server.asked.map(({ method, path }) => [method, path]),
      [['POST', '/v1/node/rotate-key']],
    );
  });

  it('rotates nothing without a yes', async (test) => {
    const { server, user } = await world(test);
    assert.equal((await user.type(['no'], 'node', 'rotate-key')).code, 2);
    assert.equal((await user.svc('node', 'rotate-key')).code, 2);
    assert.deepEqual(server.asked, []);
    assert.equal((await user.svc('node', 'rotate-key', '--yes')).code, 0);
  });

  it('says what could not be opened', async (test) => {
    const { user } = await world(test, { ...rotated, resealed: 1, unreadable: 2 });
    const { stdout, stderr } = await user.svc('node', 'rotate-key', '--yes');
    assert.equal(stdout, 'node key version 2: 1 value sealed anew\n');
    assert.match(stderr, /^svc: 2 could not be opened under the old key/);
  });

  it('is done by the API, for super-admins', async (test) => {
    const api = await testApi(test);
    const url = await listening(api);
    const root = await cli(test, { url, token: api.token });
    const { code, stdout, stderr } = await root.svc('node', 'rotate-key', '--yes');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^node key version 2: /);
    const { token } = await giveMember(api, 'grace');
    assert.equal((await (await cli(test, { url, token })).svc('node', 'rotate-key', '--yes')).code, 3);
  });
});
