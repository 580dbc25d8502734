import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { ServiceMetrics } from '../../../specs/metrics.ts';
import { giveDeployment, giveService, testApi } from '../../support/api.ts';
import { cli, clockOf, listening } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { aReplica, given } from '../../support/store.ts';

async function world(test: TestContext) {
  const api = await testApi(test);
  const { service } = await giveService(api);
  const deployment = await giveDeployment(api, service.id);
  const started_at = new Date(api.clock.now() - 200_000).toISOString();
  const replicas = ['a', 'b'].map((letter, index) =>
    aReplica({
      ...{ id: `rep_${letter}`, name: `0.${index}`, owner: deployment.id },
      status: { phase: 'Ready', started_at, restarts: index },
    }),
  );
  await given(api.store, ...replicas);
  const sample = (at: number, cpuSeconds: number, requests: number) => ({
    at,
    stats: {
      ...{ cpuSeconds, memoryBytes: cpuSeconds * 2 ** 20, memoryLimitBytes: 2 ** 29, pids: 3 },
      ...{ receivedBytes: requests * 100, sentBytes: 0 },
    },
    requests: { requests, errors: 0, failed: 0, open: 0, latency: [0, 0, requests] },
  });
  const now = api.clock.now();
  const use = (cpu: number) => {
    api.metrics.sampled('rep_a', sample(now - 60_000, 0, 0), sample(now, cpu, 60));
    api.metrics.sampled('rep_b', sample(now - 60_000, 0, 0), sample(now, 2 * cpu, 6_000));
  };
  use(6);
  await api.call('POST', '/v1/services', { project: 'shop', name: 'new', port: 80 });
  const user = await cli(test, { url: await listening(api), token: api.token, clock: clockOf(api) });
  return { user, use };
}

describe('svc top', () => {
  it('is a line for each service, and none is left out', async (test) => {
    const { user } = await world(test);
    const { code, stdout } = await user.svc('top');
    assert.deepEqual(
      [code, ...stdout.split('\n').map((line) => line.split(/\s+/).join(' '))],
      [
        0,
        'PROJECT NAME REPLICAS CPU CPU% MEMORY MEM% IN/S OUT/S REQ/S ERR/S P50 P99',
        'shop web 2 0.30 15% 18.0Mi 2% 9.9Ki 0B 101 0 3.5ms 5.0ms',
        'shop new 0 - - - - - - - - - -',
        '',
      ],
    );
  });

  it('is a line for each replica of one, the busiest first', async (test) => {
    const { user } = await world(test);
    const { stdout } = await user.svc('top', 'shop/web');
    await writeFile(join(user.cwd, '.svc'), 'project = "shop"\n');
    assert.equal((await user.svc('top', 'web')).stdout, stdout, 'the project is that of .svc');
    assert.deepEqual(
      stdout.split('\n').map((line) => line.split(/\s+/).slice(0, 7).join(' ')),
      [
        'REPLICA PHASE UP RESTARTS CPU CPU% MEMORY',
        'rep_b Ready 3m20s 1 0.20 20% 12.0Mi',
        'rep_a Ready 3m20s 0 0.10 10% 6.0Mi',
        'all - - - 0.30 15% 18.0Mi',
        '',
      ],
    );
  });

  it('gives programs what the API answers', async (test) => {
    const { user } = await world(test);
    const one = JSON.parse(
      (await user.svc('top', 'web', '-p', 'shop', '-o', 'json')).stdout,
    ) as ServiceMetrics;
    assert.equal(one.total.requests.total, 6_060);
    const all = JSON.parse((await user.svc('top', '-o', 'json')).stdout) as { items: ServiceMetrics[] };
    assert.deepEqual(all.items.map(({ replicas }) => replicas.length).sort(), [0, 2]);
    assert.match((await user.svc('top', 'shop/web', '-o', 'yaml')).stdout, /^service_id: svc_/);
  });

  it('goes on with -w until Ctrl-C', async (test) => {
    const { user, use } = await world(test);
    const watching = user.start('top', 'shop/web', '-w');
    await eventually(() => watching.stdout().includes('0.30'));
    use(12);
    await eventually(() => watching.stdout().includes('0.60'));
    watching.interrupt();
    assert.equal((await watching.outcome).code, 130);
  });

  for (const [argv, code, message] of [
    [['top', 'shop/nope'], 4, /no service "nope"/],
    [['top', 'web'], 2, /Which project/],
    [['top', '-o', 'wide'], 2, /-o takes table, json or yaml/],
  ] as const) {
    it(`ends with ${code}: svc ${argv.join(' ')}`, async (test) => {
      const { user } = await world(test);
      const ended = await user.svc(...argv);
      assert.deepEqual([ended.code, ended.stdout], [code, '']);
      assert.match(ended.stderr, message);
    });
  }
});
