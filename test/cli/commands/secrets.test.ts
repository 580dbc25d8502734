import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { DeploymentResource, Page, ServiceResource } from '../../../specs/resources.ts';
import { giveDeployment, giveMember, giveService, testApi, type TestApi } from '../../support/api.ts';
import { cli, clockOf, golden, listening, type Cli, type Outcome } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { promote } from '../../support/released.ts';
import { lookAfterServices, type DeploymentEnd } from '../../support/releasing.ts';

interface World {
  api: TestApi;
  user: Cli;
  service: ServiceResource;
  /** The current value, as a deployment gets it. */
  value(name: string): Promise<string | undefined>;
}

async function world(test: TestContext, { runs = false, end }: { runs?: boolean; end?: DeploymentEnd } = {}) {
  const api = await testApi(test);
  const { service } = await giveService(api);
  if (runs) await promote(api, await giveDeployment(api, service.id));
  lookAfterServices(api, end);
  const user = await cli(test, { url: await listening(api), token: api.token, clock: clockOf(api) });
  const value = async (name: string) => {
    const version = (await api.store.get('Service', service.id))?.spec.secrets[name];
    if (typeof version !== 'number') return undefined;
    return api.store.vault.open({ kind: 'env', owner: service.id, name, version });
  };
  return { api, user, service, value } satisfies World;
}

const says = ({ code, stdout, stderr }: Outcome): [number, string, string] => [
  code,
  golden(stdout),
  golden(stderr),
];

describe('svc secrets set', () => {
  it('takes a value from standard input, and says that nothing runs yet', async (test) => {
    const { user, value } = await world(test);
    const outcome = await user.feed('postgres://hush\n', 'secrets', 'set', 'shop/web', 'DATABASE_URL');
    assert.deepEqual(says(outcome), [
      0,
      'secret/shop/web/DATABASE_URL set\n',
      'Nothing runs yet: the first deployment will have it.\n',
    ]);
    assert.equal(await value('DATABASE_URL'), 'postgres://hush');
  });

  const inputs: [what: string, stdin: string, flags: string[], value: string][] = [
    ['cuts one line end', 'hush\n\n', [], 'hush\n'],
    ['cuts one line end of Windows', 'hush\r\n', [], 'hush'],
    ['keeps the line end when told to', 'hush\n', ['--keep-newline'], 'hush\n'],
    ['keeps every other character', ' hush "\'$x\t\n', [], ' hush "\'$x\t'],
  ];
  for (const [what, stdin, flags, expected] of inputs) {
    it(what, async (test) => {
      const { user, value } = await world(test);
      assert.equal((await user.feed(stdin, 'secrets', 'set', 'web', 'A', '-p', 'shop', ...flags)).code, 0);
      assert.equal(await value('A'), expected);
    });
  }

  it('asks on a terminal', async (test) => {
    const { user, value } = await world(test);
    const outcome = await user.type(['hush'], 'secrets', 'set', 'shop/web', 'A', '--no-follow');
    assert.deepEqual(says(outcome), [0, 'secret/shop/web/A set\n', 'Value of A: \n']);
    assert.equal(await value('A'), 'hush');
  });

  it('takes a file as it is', async (test) => {
    const { user, value } = await world(test);
    await writeFile(join(user.cwd, 'key.pem'), 'hush\n');
    const outcome = await user.svc('secrets', 'set', 'shop/web', 'KEY', '--from-file', 'key.pem');
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.equal(await value('KEY'), 'hush\n');
  });

  it('takes many from an env file, in one step', async (test) => {
    const { user, value, api, service } = await world(test);
    await writeFile(join(user.cwd, '.env'), '# ours\nexport A="hush\\n"\nB=other#1 # said\n');
    const before = (await api.store.get('Service', service.id))?.generation ?? 0;
    const outcome = await user.svc('secrets', 'set', 'shop/web', '--from-env-file', '.env');
    assert.deepEqual([outcome.code, outcome.stdout], [0, 'secret/shop/web/A set\nsecret/shop/web/B set\n']);
    assert.deepEqual([await value('A'), await value('B')], ['hush\n', 'other#1']);
    assert.equal((await api.store.get('Service', service.id))?.generation, before + 1);
    assert.equal(
      (await user.feed('C=from stdin', 'secrets', 'set', 'shop/web', '--from-env-file', '-')).code,
      0,
    );
    assert.equal(await value('C'), 'from stdin');
  });

  const wrong: [argv: string[], stdin: string | Buffer, code: number, message: RegExp][] = [
    [['shop/web', 'A=hush'], '', 2, /never given on the command line[^]*history of your shell/],
    [['shop/web', 'A', 'hush'], '', 2, /never given on the command line/],
    [['A=hush'], '', 2, /never given on the command line/],
    [['shop/web', '--value=hush'], '', 2, /no option --value/],
    [['shop/web'], 'hush', 2, /Which secret/],
    [['shop/web', 'A'], '', 2, /The value of A is empty/],
    [['shop/web', 'A'], '\n', 2, /The value of A is empty/],
    [['shop/web', 'A'], Buffer.from([0x68, 0xff, 0xfe]), 2, /no UTF-8 text/],
    [['shop/web', 'A'], 'hush\0hush', 2, /NUL/],
    [['shop/web', 'A', '--from-env-file', '-'], 'A=hush', 2, /--from-env-file names the secrets itself/],
    [['shop/web', '--from-env-file', '-'], 'A=hush\nhush', 2, /Standard input, line 2/],
    [['shop/web', '--from-env-file', '-'], 'A=\n', 2, /the value of A is empty/],
    [['shop/web', '--from-env-file', '-'], '# hush\n', 2, /names no secret/],
    [['shop/web', 'A', '--from-file', 'missing'], '', 5, /missing cannot be read: it is not there/],
    [['shop/web', 'A', '--from-file', 'x', '--keep-newline'], '', 2, /a file is taken as it is/],
    [['shop/web', 'PORT'], 'hush', 5, /\/set\/PORT is set by svc/],
    [['shop/web', 'A'], 'hsh', 5, /\/set\/A must have/],
    [['shop/other', 'A'], 'hush', 4, /no service "other"/],
  ];
  for (const [argv, stdin, code, message] of wrong) {
    it(`ends with ${code}, sets nothing and repeats no value: ${argv.join(' ')}`, async (test) => {
      const { user, api, service } = await world(test);
      const outcome = await user.feed(stdin, 'secrets', 'set', ...argv);
      assert.deepEqual([outcome.code, outcome.stdout], [code, '']);
      assert.match(outcome.stderr, message);
      assert.doesNotMatch(outcome.stderr, /hush|hsh/);
      assert.deepEqual((await api.store.get('Service', service.id))?.spec.secrets, {});
    });
  }

  it('follows the release of what runs', async (test) => {
    const { user, api } = await world(test, { runs: true });
    const outcome = await user.feed('hush hush', 'secrets', 'set', 'shop/web', 'A');
    assert.deepEqual(says(outcome), [
      0,
      'secret/shop/web/A set\nHealthy: http://web.shop.localhost:8080/ (0.0s)\n',
      'Deployment 2 of shop/web releases it: no build.\n',
    ]);
    const { items } = (await api.call('GET', '/v1/deployments')).json<Page<DeploymentResource>>();
    const second = items.find(({ number }) => number === 2);
    assert.deepEqual([second?.promoted, second?.reuse], [true, items.find(({ number }) => number === 1)?.id]);
  });

  it('releases nothing for the value that is there', async (test) => {
    const { user } = await world(test, { runs: true });
    await user.feed('hush hush', 'secrets', 'set', 'shop/web', 'A');
    const { code, stderr } = await user.feed('hush hush', 'secrets', 'set', 'shop/web', 'A');
    assert.deepEqual([code, stderr], [0, 'It takes no new deployment: what runs goes on.\n']);
  });

  it('ends with 1 when the release fails', async (test) => {
    const end = { phase: 'Failed', reason: 'WorkloadExited', message: 'It exited with code 1.' } as const;
    const { user, value } = await world(test, { runs: true, end });
    const { code, stderr } = await user.feed('hush hush', 'secrets', 'set', 'shop/web', 'A');
    assert.equal(code, 1);
    assert.match(stderr, /Deployment 2 failed \(WorkloadExited\)[^]*goes on serving/);
    assert.equal(await value('A'), 'hush hush');
  });

  it('does not wait when told not to', async (test) => {
    const api = await testApi(test);
    const { service } = await giveService(api);
    await promote(api, await giveDeployment(api, service.id));
    const user = await cli(test, { url: await listening(api), token: api.token });
    const outcome = await user.feed('hush', 'secrets', 'set', 'shop/web', 'A', '--no-follow');
    assert.deepEqual(says(outcome), [0, 'secret/shop/web/A set\n', '']);
  });

  it('says what the release waits for, and leaves it to the node on Ctrl-C', async (test) => {
    const { user, api, service } = await world(test, {
      runs: true,
      end: { phase: 'Starting', reason: 'WaitingForHealth', message: 'Waiting.' },
    });
    await giveDeployment(api, service.id);
    await writeFile(join(user.cwd, 'value'), 'hush');
    const setting = user.start('secrets', 'set', 'shop/web', 'A', '--from-file', 'value');
    await eventually(() => setting.stderr() !== '');
    assert.equal(setting.stderr(), 'The change is released once deployment 2 has come to its end.\n');
    setting.interrupt();
    assert.equal((await setting.outcome).code, 130);
  });

  it('says that a stopped service releases nothing', async (test) => {
    const { user, api, service } = await world(test, { runs: true });
    await api.call('POST', `/v1/services/${service.id}/stop`, {});
    const { code, stderr } = await user.feed('hush', 'secrets', 'set', 'shop/web', 'A');
    assert.deepEqual([code, stderr], [0, 'The change is released once the service is started.\n']);
  });
});

describe('svc secrets list and unset', () => {
  it('show names and versions, and take them away', async (test) => {
    const { user, api } = await world(test);
    assert.deepEqual(says(await user.svc('secrets', 'list', 'shop/web')), [0, '', 'No secrets found.\n']);
    for (const value of ['hush one', 'hush two']) await user.feed(value, 'secrets', 'set', 'shop/web', 'A');
    await user.feed('hush', 'secrets', 'set', 'shop/web', 'B');
    await api.clock.advance(300_000);
    const table = await user.svc('secrets', 'list', 'web', '-p', 'shop');
    assert.deepEqual(says(table), [
      0,
      'NAME   VERSION   AGE\nA      2         5m\nB      1         5m\n',
      '',
    ]);
    assert.equal(
      (await user.svc('secrets', 'list', 'shop/web', '-o', 'name')).stdout,
      'secret/A\nsecret/B\n',
    );
    assert.deepEqual(says(await user.svc('secrets', 'unset', 'shop/web', 'A', 'A')), [
      0,
      'secret/shop/web/A unset\n',
      'Nothing runs yet: the first deployment will have it.\n',
    ]);
    assert.equal((await user.svc('secrets', 'list', 'shop/web', '-o', 'name')).stdout, 'secret/B\n');
    const refused = await user.svc('secrets', 'unset', 'shop/web', 'BB');
    assert.equal(refused.code, 5);
    assert.match(refused.stderr, /\/unset\/0 is no secret of this service; did you mean B\?\n/);
  });

  it('a Viewer lists them and changes none', async (test) => {
    const { user, api, service } = await world(test);
    await user.feed('hush', 'secrets', 'set', 'shop/web', 'A');
    const { token } = await giveMember(api, 'grace', { [service.project_id]: 'Viewer' });
    const grace = await cli(test, { url: await listening(api).catch(() => api.app.listeningOrigin), token });
    assert.equal((await grace.svc('secrets', 'list', 'shop/web', '-o', 'name')).stdout, 'secret/A\n');
    assert.equal((await grace.feed('hush', 'secrets', 'set', 'shop/web', 'A')).code, 3);
  });
});
