import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it, type TestContext } from 'node:test';
import { createProber } from '../../../controllers/replica/prober.ts';
import { replicaReconciler } from '../../../controllers/replica/reconcile.ts';
import { createRecorder } from '../../../controllers/runtime/events.ts';
import { createMasks } from '../../../specs/mask.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import type { Program } from '../../support/fake-container.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { aDeployment, aProject, aReplica, aService, memoryStore } from '../../support/store.ts';

const secrets = ['correct-horse'];

/** One pass over a new replica of a workload that behaves like this. @returns the replica as it is then */
async function passed(t: TestContext, program: Program) {
  const clock = new ManualClock();
  const engine = new FakeEngine(clock);
  const project = aProject();
  const { subnet, network_name: name } = project.status;
  assert.ok(subnet !== null && name !== null);
  await engine.ensureNetwork({ name, subnet, labels: {} });
  const replica = aReplica({
    spec: { image: engine.addImage('app', program) },
    status: { phase: 'Pending' },
  });
  replica.status.container = null;
  const store = await memoryStore([project, aService(), aDeployment(), replica], clock);
  const masks = createMasks((id) => (id === project.id ? secrets : []));
  const ask = () => Promise.resolve({ ok: false, words: 'not asked' });
  const prober = createProber({ ask, clock, onAnswer: () => undefined });
  t.after(async () => {
    prober.close();
    await store.close();
  });
  const none = () => Promise.resolve();
  const reconcile = replicaReconciler({
    ...{
      store,
      vault: store.vault,
      engine,
      clock,
      prober,
      masks,
      events: createRecorder({ events: store.events, masks, log: { warn: () => undefined } }),
      nodeId: 'node',
      random: randomBytes,
      hostPaths: [],
      hostPathFault: () => undefined,
      socketsDir: '/run/sockets',
    },
    ingress: { isRouted: () => false, isIdle: () => true },
    probeOf: (id, startedAt) => prober.result(id, startedAt),
    isStopping: () => false,
    sockets: { prepare: none, remove: none },
    follow: () => undefined,
    unfollow: none,
    stopSoon: () => undefined,
    awaitRoutes: () => undefined,
  });
  await reconcile(replica.id, { signal: new AbortController().signal });
  return store.get('Replica', replica.id);
}

it('says why the engine refuses a workload, without a secret', async (t) => {
  const row = await passed(t, { refuses: 'exec: "/bin/correct-horse": no such file' });
  assert.equal(row?.status.phase, 'Exited');
  assert.deepEqual(
    row.status.conditions.map(({ reason, message }) => [reason, message]),
    [['StartFailed', 'exec: "/bin/***": no such file']],
  );
});
