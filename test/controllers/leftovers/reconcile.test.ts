import assert from 'node:assert/strict';
import { it } from 'node:test';
import { imageTag } from '../../../controllers/engine/names.ts';
import { leftoversReconciler } from '../../../controllers/leftovers/reconcile.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { aDeployment, anId, aProject, memoryStore } from '../../support/store.ts';

const nodeId = 'node';
const labels = { 'svc.node': nodeId };
const signal = new AbortController().signal;

it('removes networks and images of the node that no row speaks of, and leaves everybody else theirs', async (t) => {
  const clock = new ManualClock();
  const engine = new FakeEngine(clock);
  const store = await memoryStore([aProject(), aDeployment()], clock);
  t.after(() => store.close());
  for (const [index, [name, owner]] of [
    ['svc-node-shop', nodeId],
    ['svc-node-gone', nodeId],
    ['svc-other-gone', 'other'],
    ['bridge', ''],
  ].entries())
    await engine.ensureNetwork({
      ...{ name: name ?? '', subnet: `10.1.${index}.0/24` },
      labels: owner === '' ? {} : { 'svc.node': owner ?? '' },
    });
  const kept = imageTag(aDeployment());
  const gone = imageTag(aDeployment({ id: anId('deployment', 2) }));
  await engine.tagImage(engine.addImage(kept, {}, labels), gone);
  engine.addImage('svc/of:another', {}, { 'svc.node': 'other' });

  const pass = leftoversReconciler({ store, engine, nodeId, log: recordingLog() });
  await pass('all', { signal });
  assert.deepEqual(engine.networkNames(), ['bridge', 'svc-node-shop', 'svc-other-gone']);
  assert.deepEqual(engine.tags(), [kept, 'svc/of:another'].sort());
});

it('leaves what is in use for another time, and goes on', async (t) => {
  const clock = new ManualClock();
  const engine = new FakeEngine(clock);
  const store = await memoryStore([], clock);
  t.after(() => store.close());
  const image = engine.addImage('svc/gone:used', {}, labels);
  engine.addImage('svc/gone:unused', {}, labels);
  const network = { name: 'svc-node-gone', subnet: '10.1.2.0/24', labels };
  await engine.ensureNetwork(network);
  const container = await engine.createReplica({
    ...{ name: 'c', image, env: {}, labels, mounts: [], limits: { memoryBytes: 1, cpus: 1, pids: 1 } },
    network: { name: network.name, address: '10.1.2.2' },
  });
  await engine.startReplica(container);

  const pass = leftoversReconciler({ store, engine, nodeId, log: recordingLog() });
  await pass('all', { signal });
  assert.deepEqual([engine.networkNames(), engine.tags()], [[network.name], ['svc/gone:used']]);
  await engine.removeReplica(container);
  await pass('all', { signal });
  assert.deepEqual([engine.networkNames(), engine.tags()], [[], []]);
});
