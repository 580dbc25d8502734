import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { ServiceResource } from '../../../specs/resources.ts';
import { giveDeployment, giveService, testApi, type TestApi } from '../../support/api.ts';
import { cli, clockOf, listening, type Cli } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';

interface World {
  api: TestApi;
  user: Cli;
  service: ServiceResource;
}

async function world(test: TestContext): Promise<World> {
  const api = await testApi(test);
  const { service } = await giveService(api);
  const print = (minute: number, replica: string, line: string) =>
    api.logs.print(service.id, { at: `2030-01-01T00:0${minute}:00.000Z`, replica, stream: 'stdout', line });
  print(0, 'rep_a', 'one');
  print(1, 'rep_b', 'two \u001b[31mred\u001b[0m\u0007');
  print(2, 'rep_a', '\tthree é漢');
  await api.clock.advance(150_000);
  return {
    api,
    service,
    user: await cli(test, { url: await listening(api), token: api.token, clock: clockOf(api) }),
  };
}

describe('svc logs', () => {
  const rows: [string[], string][] = [
    [[], 'one\nrep_b | two red\nrep_a | \tthree é漢\n'],
    [['--tail', '1'], '\tthree é漢\n'],
    [['--tail', '0'], ''],
    [['--since', '2m'], 'two red\nrep_a | \tthree é漢\n'],
    [['--since', '2030-01-01T00:02:00Z'], '\tthree é漢\n'],
    [['--replica', 'rep_b'], 'two red\n'],
    [['--deployment', 'dep_1', '--tail', '1'], '\tthree é漢\n'],
  ];
  for (const [flags, text] of rows) {
    it(`prints what there is: ${flags.join(' ')}`, async (test) => {
      assert.deepEqual(await (await world(test)).user.svc('logs', 'shop/web', ...flags), {
        code: 0,
        stdout: text,
        stderr: '',
      });
    });
  }

  it('says that there is nothing, and not on standard output', async (test) => {
    const { user } = await world(test);
    for (const flags of [
      ['--since', '1s'],
      ['--deployment', 'dep_1', '--since', '1s'],
    ])
      assert.deepEqual(await user.svc('logs', 'shop/web', ...flags), {
        code: 0,
        stdout: '',
        stderr: 'No lines found. How the service is: svc describe service shop/web\n',
      });
  });

  it('says which replica, where there are several', async (test) => {
    const { api, user } = await world(test);
    await api.call('POST', '/v1/services', { project: 'shop', name: 'twins', port: 80, replicas: 2 });
    const twins = await api.store.find(
      'Service',
      (await api.call('GET', '/v1/projects/shop')).json<{ id: string }>().id,
      'twins',
    );
    api.logs.print(twins?.id ?? '', {
      at: '2030-01-01T00:00:00.000Z',
      replica: 'rep_a',
      stream: 'stderr',
      line: 'one',
    });
    assert.equal((await user.svc('logs', 'twins', '-p', 'shop')).stdout, 'rep_a | one\n');
    assert.equal((await user.svc('logs', 'twins', '-p', 'shop', '--replica', 'rep_a')).stdout, 'one\n');
  });

  it('goes on until Ctrl-C with -f', async (test) => {
    const { api, user, service } = await world(test);
    const following = user.start('logs', 'shop/web', '-f', '--tail', '1');
    await eventually(() => following.stdout() === '\tthree é漢\n');
    api.logs.print(service.id, {
      at: '2030-01-01T00:03:00.000Z',
      replica: 'rep_a',
      stream: 'stdout',
      line: 'four',
    });
    await eventually(() => following.stdout() === '\tthree é漢\nfour\n');
    following.interrupt();
    assert.deepEqual(await following.outcome, { code: 130, stdout: '\tthree é漢\nfour\n', stderr: '' });
  });

  it('prints the log of a deployment', async (test) => {
    const { api, user, service } = await world(test);
    const { id } = await giveDeployment(api, service.id);
    const at = '2030-01-01T00:00:00.000Z';
    api.logs.append(id, {
      event: 'status',
      at,
      status: 'Building',
      reason: 'Building',
      message: 'It is being built.',
    });
    api.logs.append(id, {
      event: 'log',
      at,
      phase: 'build',
      stream: 'stdout',
      line: '\u001b[1mFROM\u001b[0m busybox',
    });
    assert.deepEqual(await user.svc('logs', '--deployment', id), {
      code: 0,
      stdout: `${at} Building (Building): It is being built.\nFROM busybox\n`,
      stderr: '',
    });
    await writeFile(join(user.cwd, '.svc'), 'project = "shop"\nservice = "web"\n');
    assert.match((await user.svc('logs', '--deployment', '1')).stdout, /FROM busybox\n$/);
    assert.match((await user.svc('logs', '--deployment', '9')).stderr, /has no deployment "9"/);
    const following = user.start('logs', '--deployment', id, '-f');
    await eventually(() => following.stdout() === '  FROM busybox\n');
    await api.store.patchStatus('Deployment', id, 1, {
      phase: 'Failed',
      reason: 'BuildFailed',
      message: 'No.',
    });
    assert.equal((await following.outcome).code, 0);
  });

  const wrong: [string[], number, RegExp][] = [
    [['logs'], 2, /Which service\?[^]*\.svc/],
    [['logs', 'web'], 2, /Which project/],
    [['logs', 'shop/nope'], 4, /no service "nope"/],
    [['logs', 'shop/web', '--tail', 'x'], 2, /--tail takes a whole number from 0 to 1000000/],
    [['logs', 'shop/web', '--since', 'yesterday'], 2, /--since: "yesterday" is no duration/],
    [['logs', 'shop/web', '--since', '2030-99-99'], 2, /is no time/],
    [['logs', '--deployment', 'dep_1', '--tail', '1'], 2, /goes with -f only/],
    [['logs', 'shop/web', '--previous', '-f'], 2, /leave out -f/],
    [['logs', 'shop/web', '--previous'], 4, /No earlier run is kept/],
    [['logs', 'shop/web', '--replica', 'nosuch'], 5, /is no replica of this service/],
    [['logs', '--deployment', `dep_${'0'.repeat(26)}`], 4, /./],
  ];
  for (const [line, exitCode, message] of wrong) {
    it(`ends with ${exitCode}: svc ${line.join(' ')}`, async (test) => {
      const { code, stdout, stderr } = await (await world(test)).user.svc(...line);
      assert.deepEqual([code, stdout], [exitCode, '']);
      assert.match(stderr, message);
    });
  }
});
