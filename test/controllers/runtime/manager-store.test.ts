/** The loop on the real store: what its changes wake, and what its lists give the resync. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Store } from '../../../api/store/store.ts';
import { startControllers } from '../../../controllers/runtime/manager.ts';
import { createMetrics } from '../../../controllers/runtime/metrics.ts';
import type { ControllerKind, ControllerSpec, Reconcile } from '../../../controllers/runtime/reconciler.ts';
import { owner, type Mapping } from '../../../controllers/runtime/sources.ts';
import type { Kind, Row } from '../../../specs/index.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { aDeployment, anId, anUpload, aReplica, memoryStore } from '../../support/store.ts';

const mappings: Mapping[] = [{ from: 'Replica', to: 'Deployment', ids: owner }];

async function start(
  t: TestContext,
  rows: Row<Kind>[],
  act: (store: Store) => Partial<Record<ControllerKind, Reconcile>>,
  singletons: Partial<Record<ControllerKind, string>> = {},
) {
  const clock = new ManualClock();
  const log = recordingLog();
  const store = await memoryStore(rows, clock);
  const reconcilers = act(store);
  const passes: string[] = [];
  const controller = (kind: ControllerKind): ControllerSpec => ({
    kind,
    concurrency: 2,
    deadline: 1_000,
    reconcile: async (id, context) => {
      passes.push(`${kind}/${id}`);
      return reconcilers[kind]?.(id, context);
    },
    ...(singletons[kind] !== undefined && { singleton: singletons[kind] }),
  });
  const single = Object.keys(singletons) as ControllerKind[];
  const kinds: ControllerKind[] = ['Deployment', 'Replica', 'Upload', ...single];
  const random = (count: number) => new Uint8Array(count).fill(255);
  const metrics = createMetrics(kinds);
  const controllers = startControllers({
    controllers: kinds.map(controller),
    mappings,
    store,
    clock,
    random,
    log,
    metrics,
  });
  t.after(async () => {
    await controllers.stop();
    await store.close();
  });
  await clock.advance(0);
  return { store, clock, log, taken: () => passes.splice(0) };
}

describe('on the real store', () => {
  it('a pass that writes its own status wakes its owner and not itself', async (t) => {
    const replica = aReplica();
    let restarts = 0;
    const { store, clock, taken } = await start(t, [aDeployment(), replica], (store) => ({
      Replica: async (id) => {
        await store.patchStatus('Replica', id, 1, { restarts: ++restarts });
        return undefined;
      },
    }));
    await clock.advance(0);
    taken();
    await store.write((writer) =>
      writer.updateSpec('Replica', replica.id, (spec) => ({ ...spec, index: 7 })),
    );
    await clock.advance(60_000);
    // One by the change of the spec, one by the status that the pass wrote.
    const expected = [
      `Replica/${replica.id}`,
      `Deployment/${anId('deployment')}`,
      `Deployment/${anId('deployment')}`,
    ];
    assert.deepEqual(taken().sort(), expected.sort());
  });

  it('a failing row is tried again at once when its spec changes, and its failures start over', async (t) => {
    const replica = aReplica();
    const { store, clock, log, taken } = await start(t, [replica], () => ({
      Replica: () => Promise.reject(new Error('no')),
    }));
    await clock.advance(60_000);
    taken();
    await store.write((writer) =>
      writer.updateSpec('Replica', replica.id, (spec) => ({ ...spec, index: 7 })),
    );
    await clock.advance(0);
    assert.deepEqual(taken().filter((it) => it.startsWith('Replica')), [`Replica/${replica.id}`]); // prettier-ignore
    assert.equal((log.lines.at(-1)?.fields as { failures: number }).failures, 1);
  });

  it('a row that waits for its cleanup is woken, and one that is gone is not', async (t) => {
    const replica = aReplica();
    const { store, clock, taken } = await start(t, [replica], (store) => ({
      Replica: async (id) => {
        const row = await store.get('Replica', id);
        if (row?.deleted_at) await store.write((writer) => writer.purge('Replica', id));
        return undefined;
      },
    }));
    taken();
    await store.write((writer) => writer.markDeleted('Replica', replica.id));
    await clock.advance(60_000);
    assert.deepEqual(taken().filter((it) => it.startsWith('Replica')), [`Replica/${replica.id}`]); // prettier-ignore
    assert.equal(await store.get('Replica', replica.id), undefined);
  });

  it('the first resync passes over every row once, over many pages', async (t) => {
    const ids = Array.from({ length: 120 }, (_, n) => anId('upload', n));
    const { clock, taken } = await start(t, ids.map((id) => anUpload({ id, name: id })), () => ({})); // prettier-ignore
    await clock.advance(1_000);
    assert.deepEqual(taken().sort(), ids.map((id) => `Upload/${id}`).sort());
  });

  it('the resync wakes what there is only one of, which has no rows', async (t) => {
    const singletons = { RouteSet: 'routes', CertificateSet: 'certificates', Gc: 'gc' };
    const { clock, log, taken } = await start(t, [], () => ({}), singletons);
    await clock.advance(60_000);
    assert.deepEqual(taken().sort(), ['CertificateSet/certificates', 'Gc/gc', 'RouteSet/routes']);
    assert.deepEqual(log.lines, []);
  });
});
