import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { DeploymentStatus } from '../../../specs/deployment.ts';
import type { DeploymentResource } from '../../../specs/resources.ts';
import { giveDeployment, giveService, testApi } from '../../support/api.ts';
import { cli, listening } from '../../support/cli.ts';

const served = { image: 'sha256:1', promoted_at: '2030-01-01T00:00:00.000Z' };

/** A service on its fourth deployment: the first lost its image, the second is kept, the third failed. */
async function world(test: TestContext) {
  const api = await testApi(test);
  const { service } = await giveService(api);
  const made: DeploymentResource[] = [];
  const states: Partial<DeploymentStatus>[] = [
    { ...served, phase: 'Inactive', image: null },
    { ...served, phase: 'Inactive', reason: 'Replaced' },
    { phase: 'Failed', reason: 'HealthCheckFailed', message: 'No good answer.', image: 'sha256:3' },
    { ...served, phase: 'Healthy', reason: 'Promoted', image: 'sha256:4', epoch: 0 },
  ];
  for (const status of states) {
    const deployment = await giveDeployment(api, service.id);
    await api.store.patchStatus('Deployment', deployment.id, 9, status);
    made.push(deployment);
  }
  const [, second, , fourth] = made;
  await api.store.patchStatus('Service', service.id, 9, {
    promoted: fourth?.id ?? '',
    previous: second?.id ?? '',
  });
  const user = await cli(test, { url: await listening(api), token: api.token });
  return { api, service, user, made };
}

describe('svc rollout history', () => {
  it('says of each deployment whether it can be rolled back to, and why not', async (test) => {
    const { user } = await world(test);
    const { code, stdout } = await user.svc('rollout', 'history', 'shop/web');
    assert.equal(code, 0);
    const rows = stdout.trimEnd().split('\n').slice(1);
    assert.match(rows[0] ?? '', /^4 \(serving\) +Healthy +upload .* Deployment 4 is already serving\.$/);
    assert.match(rows[1] ?? '', /^3 +Failed .* a failed one cannot serve/);
    assert.match(rows[2] ?? '', /^2 +Inactive .* yes$/);
    assert.match(rows[3] ?? '', /^1 +Inactive .* no longer kept: release\.keep/);
  });

  it('is right: what it calls possible is, and the rest is refused in the same words', async (test) => {
    const { user } = await world(test);
    const shown = JSON.parse(
      (await user.svc('get', 'deployments', '-s', 'shop/web', '-o', 'json')).stdout,
    ) as DeploymentResource[] | { items: DeploymentResource[] };
    for (const { number, rollback } of Array.isArray(shown) ? shown : shown.items) {
      const { code, stderr } = await user.svc('rollback', 'shop/web', '--to', String(number), '--no-wait');
      assert.equal(code, rollback.possible ? 0 : 5, stderr);
      if (rollback.reason !== null) assert.ok(stderr.includes(rollback.reason), stderr);
      if (rollback.possible) break;
    }
  });
});

describe('svc rollout status', () => {
  it('says what serves, and ends with 1 after a failure', async (test) => {
    const { api, service, user, made } = await world(test);
    const [, , third, fourth] = made;
    const target = (id: string) =>
      api.store.write((writer) =>
        writer.updateSpec('Service', service.id, (spec) => ({
          ...spec,
          rollout: { ...spec.rollout, target: id, running: true },
        })),
      );
    await target(fourth?.id ?? '');
    const good = await user.svc('rollout', 'status', 'shop/web');
    assert.equal(good.code, 0, good.stderr);
    assert.match(good.stdout, /rolled out: deployment 4 is serving/);
    await target(third?.id ?? '');
    const bad = await user.svc('rollout', 'status', 'shop/web');
    assert.equal(bad.code, 1);
    assert.match(bad.stderr, /Deployment 3 failed \(HealthCheckFailed\)/);
  });

  it('tells of a service without any', async (test) => {
    const api = await testApi(test);
    await giveService(api);
    const user = await cli(test, { url: await listening(api), token: api.token });
    const { code, stderr } = await user.svc('rollout', 'status', 'shop/web');
    assert.equal(code, 1);
    assert.match(stderr, /Nothing was deployed to it yet\.\n.*svc push/s);
  });
});

describe('svc diff', () => {
  it('compares the one before with the one that serves, and ends with 1 where they differ', async (test) => {
    const { user } = await world(test);
    const { code, stdout } = await user.svc('diff', 'shop/web');
    assert.equal(code, 1);
    assert.equal(stdout, '--- deployment 2\n+++ deployment 4\n-image: sha256:1\n+image: sha256:4\n');
  });

  it('compares any two, and ends with 0 where they are the same', async (test) => {
    const { user } = await world(test);
    const same = await user.svc('diff', 'shop/web', '--from', '2', '--to', '2');
    assert.deepEqual([same.code, same.stdout], [0, '']);
    assert.match(same.stderr, /run the same/);
    const { stdout } = await user.svc('diff', 'shop/web', '--from', '2', '--to', '3', '-o', 'json');
    assert.deepEqual(JSON.parse(stdout), {
      from: 2,
      to: 3,
      differences: [{ field: 'image', before: 'sha256:1', after: 'sha256:3' }],
    });
    assert.equal((await user.svc('diff', 'shop/web', '--from', '9')).code, 4);
  });
});
