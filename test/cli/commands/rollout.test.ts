import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { DeploymentStatus } from '../../../specs/deployment.ts';
import type { Row } from '../../../specs/index.ts';
import type { DeploymentResource, ServiceResource } from '../../../specs/resources.ts';
import { giveDeployment, giveService, testApi, type TestApi } from '../../support/api.ts';
import { cli, listening, type Cli } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';

const healthy: Partial<DeploymentStatus> = {
  phase: 'Healthy',
  reason: 'Promoted',
  message: 'Serving.',
  epoch: 0,
  image: 'sha256:1',
};

interface World {
  api: TestApi;
  user: Cli;
  service: ServiceResource;
  /** Replaced by the second. */
  first: DeploymentResource;
  second: DeploymentResource;
  patch(deployment: DeploymentResource, status: Partial<DeploymentStatus>): Promise<unknown>;
}

/** A service on its second deployment. */
async function world(test: TestContext): Promise<World> {
  const api = await testApi(test);
  const { service } = await giveService(api);
  const [first, second] = [await giveDeployment(api, service.id), await giveDeployment(api, service.id)];
  const patch = (deployment: DeploymentResource, status: Partial<DeploymentStatus>) =>
    api.store.patchStatus('Deployment', deployment.id, 9, status);
  await patch(first, { ...healthy, phase: 'Inactive', reason: 'Replaced', epoch: null });
  await patch(second, healthy);
  await api.store.patchStatus('Service', service.id, 9, { promoted: second.id, previous: first.id });
  return {
    api,
    service,
    first,
    second,
    patch,
    user: await cli(test, { url: await listening(api), token: api.token }),
  };
}

/** Stands in for the controllers: called with what is wanted now, each time that changes. */
function controller({ api, service }: World, carryOut: (service: Row<'Service'>) => Promise<unknown>): void {
  api.store.onChange((change) => {
    if (change.kind !== 'Service' || change.by !== 'spec') return;
    void api.store.get('Service', service.id).then((row) => (row ? carryOut(row) : undefined));
  });
}

const line = (what: string) => `service/shop/web ${what}\n`;
const serving = (number: number) => `deployment ${number} is serving at http://web.shop.localhost:8080/`;

describe('svc stop', () => {
  it('waits until everything has stopped', async (test) => {
    const one = await world(test);
    controller(one, () => one.patch(one.second, { phase: 'Stopped', reason: 'Stopped' }));
    assert.deepEqual(await one.user.svc('stop', 'shop/web'), {
      code: 0,
      stdout: line('stopped'),
      stderr: '',
    });
  });

  it('says what it waits for, and gives up in time', async (test) => {
    const one = await world(test);
    const { code, stdout, stderr } = await one.user.svc('stop', 'shop/web', '--timeout', '300ms');
    assert.deepEqual([code, stdout], [8, '']);
    assert.match(
      stderr,
      /^Taking it out of routing\.\nsvc: It has not settled in time\. The node goes on with it\.\n.*svc describe service web -p shop\n$/,
    );
  });

  it('does not wait when told not to', async (test) => {
    const one = await world(test);
    assert.deepEqual(await one.user.svc('stop', 'shop/web', '--no-wait'), {
      code: 0,
      stdout: line('is being stopped'),
      stderr: '',
    });
    assert.equal((await one.api.store.get('Service', one.service.id))?.spec.rollout.running, false);
  });

  it('notices that somebody started it meanwhile', async (test) => {
    const one = await world(test);
    controller(one, (row) =>
      one.api.store.write((writer) =>
        writer.updateSpec('Service', row.id, (spec) => ({
          ...spec,
          rollout: { ...spec.rollout, running: true },
        })),
      ),
    );
    const { code, stderr } = await one.user.svc('stop', 'shop/web');
    assert.equal(code, 1);
    assert.match(stderr, /started the service again/);
  });

  it('cancels one deployment', async (test) => {
    const one = await world(test);
    const third = await giveDeployment(one.api, one.service.id);
    assert.deepEqual(await one.user.svc('stop', '--deployment', third.id), {
      code: 0,
      stdout: `deployment/${third.id} is being stopped\n`,
      stderr: '',
    });
    assert.equal((await one.api.store.get('Deployment', third.id))?.spec.stopped, true);
    assert.equal((await one.user.svc('stop', '--deployment', one.first.id)).code, 5);
    assert.equal((await one.user.svc('stop', 'shop/web', '--deployment', third.id)).code, 2);
  });

  it('leaves the rest to the node on Ctrl-C', async (test) => {
    const one = await world(test);
    const stopping = one.user.start('stop', 'shop/web');
    await eventually(() => stopping.stderr() !== '');
    stopping.interrupt();
    assert.equal((await stopping.outcome).code, 130);
    assert.equal((await one.api.store.get('Service', one.service.id))?.spec.rollout.running, false);
  });
});

describe('svc start', () => {
  it('waits until the last deployment serves again', async (test) => {
    const one = await world(test);
    await one.user.svc('stop', 'shop/web', '--no-wait');
    await one.patch(one.second, { phase: 'Stopped', reason: 'Stopped', epoch: null });
    controller(one, () => one.patch(one.second, healthy));
    assert.deepEqual(await one.user.svc('start', 'shop/web'), {
      code: 0,
      stdout: line(`started: ${serving(2)}`),
      stderr: '',
    });
  });

  it('ends with 1 and the reason when it does not become healthy', async (test) => {
    const one = await world(test);
    await one.user.svc('stop', 'shop/web', '--no-wait');
    await one.patch(one.second, { phase: 'Stopped', reason: 'Stopped', epoch: null });
    controller(one, () =>
      one.patch(one.second, {
        phase: 'Failed',
        reason: 'WorkloadExited',
        message: 'The workload exited with code 1. Its last lines:\n  boom',
      }),
    );
    const { code, stdout, stderr } = await one.user.svc('start', 'shop/web');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /exited with code 1\. Its last lines:\n +boom\n/);
  });

  it('is refused where nothing was deployed', async (test) => {
    const one = await world(test);
    await one.api.call('POST', '/v1/services', { project: 'shop', name: 'new', port: 80 });
    assert.equal((await one.user.svc('start', 'shop/new')).code, 5);
  });
});

describe('svc restart', () => {
  it('waits for replicas of the new epoch', async (test) => {
    const one = await world(test);
    controller(one, async (row) => {
      await one.patch(one.second, {
        reason: 'WaitingForHealth',
        message: 'Waiting for the replica to answer /.',
      });
      await one.patch(one.second, { ...healthy, epoch: row.spec.rollout.epoch });
    });
    const { code, stdout } = await one.user.svc('restart', 'web', '-p', 'shop');
    assert.deepEqual([code, stdout], [0, line(`restarted: ${serving(2)}`)]);
  });

  it('is not done as long as the old ones serve', async (test) => {
    const one = await world(test);
    assert.equal((await one.user.svc('restart', 'shop/web', '--timeout', '300ms')).code, 8);
  });

  it('ends with 1 when the new ones do not become healthy', async (test) => {
    const one = await world(test);
    controller(one, (row) =>
      one.patch(one.second, {
        ...healthy,
        failed_epoch: row.spec.rollout.epoch,
        message: 'The restart failed; the replicas before it go on.',
      }),
    );
    const { code, stderr } = await one.user.svc('restart', 'shop/web');
    assert.equal(code, 1);
    assert.match(stderr, /The restart failed; the replicas before it go on\./);
  });
});

describe('svc rollback', () => {
  const back = (one: World) => async (row: Row<'Service'>) => {
    await one.patch(one.first, {
      phase: 'Starting',
      reason: 'WaitingForHealth',
      message: 'Waiting for the replica to answer /.',
    });
    await one.api.store.patchStatus('Service', one.service.id, 9, {
      promoted: row.spec.rollout.target,
      previous: one.second.id,
    });
    await one.patch(one.first, healthy);
  };

  it('goes back to the one before', async (test) => {
    const one = await world(test);
    controller(one, back(one));
    const { code, stdout } = await one.user.svc('rollback', 'shop/web');
    assert.deepEqual([code, stdout], [0, line(`rolled back: ${serving(1)}`)]);
  });

  for (const how of ['number', 'id'] as const) {
    it(`goes back to the one with a certain ${how}`, async (test) => {
      const one = await world(test);
      controller(one, back(one));
      const { code } = await one.user.svc('rollback', 'shop/web', '--to', how === 'id' ? one.first.id : '1');
      assert.equal(code, 0);
    });
  }

  it('takes the service from .svc where none is named', async (test) => {
    const one = await world(test);
    controller(one, back(one));
    await writeFile(join(one.user.cwd, '.svc'), 'project = "shop"\nservice = "web"\n');
    assert.equal((await one.user.svc('rollback')).code, 0);
  });

  it('notices that a newer rollout took its place', async (test) => {
    const one = await world(test);
    const rollingBack = one.user.start('rollback', 'shop/web');
    await eventually(() => rollingBack.stderr() !== '');
    await giveDeployment(one.api, one.service.id);
    const { code, stderr } = await rollingBack.outcome;
    assert.equal(code, 1);
    assert.match(stderr, /A newer rollout took its place/);
  });

  it('is refused where there is nothing to go back to', async (test) => {
    const one = await world(test);
    assert.equal((await one.user.svc('rollback', 'shop/web', '--to', '7')).code, 4);
    assert.equal((await one.user.svc('rollback', 'shop/web', '--to', '2')).code, 5);
  });
});
