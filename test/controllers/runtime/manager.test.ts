import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startControllers } from '../../../controllers/runtime/manager.ts';
import { createMetrics } from '../../../controllers/runtime/metrics.ts';
import type { ControllerSpec, PassContext } from '../../../controllers/runtime/reconciler.ts';
import { always, owner, type Mapping } from '../../../controllers/runtime/sources.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { Rows } from '../../support/rows.ts';

const mappings: Mapping[] = [
  { from: 'Replica', to: 'Deployment', by: ['status', 'purged'], ids: owner },
  { from: 'Deployment', to: 'RouteSet', ids: always('routes') },
];

type Act = (id: string, context: PassContext) => Promise<undefined>;

function setUp(act: Act = () => Promise.resolve(undefined)) {
  const clock = new ManualClock();
  const store = new Rows();
  store.put('Deployment', 'dep_1', null, 5);
  store.put('Deployment', 'dep_2');
  store.put('Replica', 'rep_1', 'dep_1');
  const passes: string[] = [];
  const log = recordingLog();
  const controller = (kind: ControllerSpec['kind']): ControllerSpec => ({
    kind,
    concurrency: 2,
    deadline: 1_000,
    reconcile: (id, context) => {
      passes.push(`${kind}/${id}`);
      return act(id, context);
    },
  });
  const specs = [
    controller('Deployment'),
    controller('Replica'),
    { ...controller('RouteSet'), singleton: 'routes' },
  ];
  const options = {
    controllers: specs,
    mappings,
    store,
    clock,
    log,
    random: (count: number) => new Uint8Array(count).fill(128),
    metrics: createMetrics(specs.map(({ kind }) => kind)),
  };
  const taken = () => passes.splice(0).sort();
  return { options, store, clock, log, taken };
}

describe('startControllers', () => {
  it('passes over everything that is there at the start, and again every ten minutes', async () => {
    const { options, clock, taken } = setUp();
    const controllers = startControllers(options);
    await clock.advance(0);
    await controllers.resynced;
    const all = ['Deployment/dep_1', 'Deployment/dep_2', 'Replica/rep_1', 'RouteSet/routes'];
    assert.deepEqual(taken(), all);
    await clock.advance(500_000);
    assert.deepEqual(taken(), []);
    await clock.advance(170_000);
    assert.deepEqual(taken(), all);
    await controllers.stop();
  });

  it('wakes by changes: the row itself, and whom the mappings name', async () => {
    const { options, store, clock, taken } = setUp();
    const controllers = startControllers(options);
    await clock.advance(0);
    taken();
    store.publish('rep_1', 'status');
    await clock.advance(0);
    assert.deepEqual(taken(), ['Deployment/dep_1']);
    store.publish('dep_2', 'spec');
    await clock.advance(0);
    assert.deepEqual(taken(), ['Deployment/dep_2', 'RouteSet/routes']);
    await controllers.stop();
  });

  it('lets whatever is woken go before the rest of a resync', async () => {
    const { options, store, clock } = setUp();
    const order: string[] = [];
    for (const id of ['dep_3', 'dep_4', 'dep_5']) store.put('Deployment', id);
    const reconcile = (id: string) => {
      order.push(id);
      if (id === 'dep_5') controllers.wake('Deployment', 'dep_1');
      return Promise.resolve(undefined);
    };
    const spec: ControllerSpec = { kind: 'Deployment', reconcile, concurrency: 1, deadline: 1_000 };
    const controllers = startControllers({ ...options, controllers: [spec], mappings: [] });
    await clock.advance(0);
    assert.deepEqual(order, ['dep_5', 'dep_1', 'dep_4', 'dep_3', 'dep_2']);
    await controllers.stop();
  });

  it('wakes on demand, and refuses a kind without a controller', async () => {
    const { options, clock, taken } = setUp();
    const controllers = startControllers(options);
    await clock.advance(0);
    taken();
    controllers.wake('Replica', 'rep_1');
    await clock.advance(0);
    assert.deepEqual(taken(), ['Replica/rep_1']);
    assert.throws(() => controllers.wake('Upload', 'upl_1'), /no controller/);
    await controllers.stop();
  });

  it('tries a failing row again at once when its spec changes', async () => {
    const { options, store, clock, log, taken } = setUp(() => Promise.reject(new Error('no')));
    const controllers = startControllers({
      ...options,
      controllers: options.controllers.slice(0, 1),
      mappings: [],
    });
    await clock.advance(60_000);
    taken();
    store.put('Deployment', 'dep_1', null, 6);
    store.publish('dep_1', 'spec');
    await clock.advance(0);
    assert.deepEqual(taken(), ['Deployment/dep_1']);
    assert.equal((log.lines.at(-1)?.fields as { failures: number }).failures, 1);
    await controllers.stop();
  });

  it('starts also while the store cannot be read, and catches up', async () => {
    const { options, store, clock, taken } = setUp();
    store.broken = new Error('disk');
    const controllers = startControllers(options);
    await clock.advance(1_000);
    assert.deepEqual(taken(), ['RouteSet/routes']);
    store.broken = undefined;
    await clock.advance(6_000);
    assert.deepEqual(taken(), ['Deployment/dep_1', 'Deployment/dep_2', 'Replica/rep_1']);
    await controllers.stop();
  });

  it('refuses two controllers of one kind, before anything is started', () => {
    const { options, store, clock } = setUp();
    const controllers = [...options.controllers, ...options.controllers.slice(0, 1)];
    assert.throws(() => startControllers({ ...options, controllers }), /two controllers for Deployment/);
    assert.equal(store.listening, 0);
    assert.equal(clock.pending, 0);
  });
});

describe('stop', () => {
  it('aborts what runs, waits for it, and leaves nothing behind', async () => {
    const aborted: string[] = [];
    const { options, store, clock, taken } = setUp(
      (id, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted.push(id);
            resolve(undefined);
          });
        }),
    );
    const controllers = startControllers(options);
    await clock.advance(0);
    await controllers.stop();
    assert.deepEqual(aborted.sort(), ['dep_1', 'dep_2', 'rep_1', 'routes']);
    taken();
    store.put('Replica', 'rep_2');
    assert.equal(store.listening, 0);
    controllers.wake('Replica', 'rep_1');
    await clock.advance(3_600_000);
    assert.deepEqual(taken(), []);
    assert.equal(clock.pending, 0);
  });

  it('does not wait for passes that ignore it', async () => {
    const { options, clock } = setUp(() => new Promise(() => undefined));
    const controllers = startControllers({ ...options, patience: 100 });
    await clock.advance(0);
    const stopping = controllers.stop();
    await clock.advance(100);
    await stopping;
    assert.equal(clock.pending, 0);
  });
});
