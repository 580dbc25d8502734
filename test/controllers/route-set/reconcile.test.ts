import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { createComing, withComing } from '../../../controllers/route-set/coming.ts';
import { routeSetReconciler } from '../../../controllers/route-set/reconcile.ts';
import { FakeIngress } from '../../support/fake-ingress.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { aDeployment, aProject, aReplica, aService, memoryStore } from '../../support/store.ts';

const write = 5;

async function scene(t: TestContext) {
  const clock = new ManualClock();
  const deployment = aDeployment({ status: { phase: 'Healthy', epoch: 0 } });
  const service = aService({ status: { promoted: deployment.id } });
  const replica = aReplica({ status: { phase: 'Ready' } });
  const store = await memoryStore([aProject(), service, deployment, replica], clock);
  t.after(() => store.close());
  const ingress = new FakeIngress(clock, {
    ...{ write: () => write, acknowledge: () => 1, request: () => 0, boot: () => 1 },
  }).attach();
  const coming = createComing();
  const reconcile = routeSetReconciler({
    ...{
      store,
      vault: store.vault,
      ingress,
      coming,
      log: recordingLog(),
      appsDomain: 'localhost',
      control: null,
    },
    upstreamOf: (id) => ({ socket: id, via: 'bridged' }),
  });
  const controller = new AbortController();
  const pass = () => reconcile('all', { signal: controller.signal });
  return { clock, store, replica, routes: withComing(ingress, coming), ingress, pass, controller };
}

it('a replica that is told to go while a route set to it is on its way is routed, and idle only when that is over', async (t) => {
  const { clock, store, replica, routes, ingress, pass } = await scene(t);
  const first = pass();
  await clock.advance(write);
  await store.write((writer) => writer.markDeleted('Replica', replica.id));
  assert.equal(ingress.applied(), undefined, 'the ingress has nothing yet');
  assert.deepEqual([routes.isRouted(replica.id), routes.isIdle(replica.id)], [true, false]);
  await clock.advance(write);
  await first;
  assert.equal(ingress.isRouted(replica.id), true, 'what was on its way has come');
  const second = pass();
  await clock.advance(10 * write);
  await second;
  assert.deepEqual([routes.isRouted(replica.id), routes.isIdle(replica.id)], [false, true]);
});

it('a pass that is given up while it reads publishes nothing', async (t) => {
  const { clock, ingress, pass, controller } = await scene(t);
  const given = pass();
  controller.abort(new Error('over its deadline'));
  await assert.rejects(given, /over its deadline/);
  await clock.advance(10 * write);
  assert.equal(ingress.applied(), undefined);
});
