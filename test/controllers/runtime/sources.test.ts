import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Change } from '../../../api/store/store.ts';
import type { ControllerKind } from '../../../controllers/runtime/reconciler.ts';
import { always, owned, owner, storeChanges, type Mapping } from '../../../controllers/runtime/sources.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { Rows } from '../../support/rows.ts';

const mappings: Mapping[] = [
  { from: 'Replica', to: 'Deployment', by: ['status', 'purged'], ids: owner },
  { from: 'Deployment', to: 'Service', ids: owner },
  { from: 'Service', to: 'Deployment', ids: owned('Deployment') },
  { from: 'Service', to: 'RouteSet', ids: always('routes') },
  { from: 'Project', to: 'Service', ids: owner },
];

function setUp(table: readonly Mapping[] = mappings) {
  const store = new Rows();
  store.put('Project', 'prj_1');
  store.put('Service', 'svc_1', 'prj_1', 3);
  store.put('Deployment', 'dep_1', 'svc_1');
  store.put('Deployment', 'dep_2', 'svc_1');
  store.put('Deployment', 'dep_other', 'svc_2');
  store.put('Replica', 'rep_1', 'dep_1', 2);
  const woken: string[] = [];
  const log = recordingLog();
  const target = (kind: ControllerKind) => ({
    add: (key: string, { generation }: { generation?: number } = {}) =>
      void woken.push(`${kind}/${key}${generation === undefined ? '' : `@${generation}`}`),
    forget: (key: string) => void woken.push(`forget ${kind}/${key}`),
  });
  const kinds = ['Project', 'Service', 'Deployment', 'Replica', 'RouteSet'] as const;
  const stop = storeChanges({
    store,
    mappings: table,
    targets: new Map(kinds.map((kind) => [kind, target(kind)])),
    log,
  });
  return { store, woken, log, stop, settle: () => new ManualClock().advance(0) };
}

describe('a change', () => {
  const table: [id: string, by: Change['by'], woken: string[]][] = [
    ['rep_1', 'spec', ['Replica/rep_1@2']],
    ['rep_1', 'deleted', ['Replica/rep_1@2']],
    ['rep_1', 'status', ['Deployment/dep_1']],
    ['rep_1', 'purged', ['forget Replica/rep_1', 'Deployment/dep_1']],
    ['dep_1', 'status', ['Service/svc_1']],
    ['dep_1', 'spec', ['Deployment/dep_1@1', 'Service/svc_1']],
    ['svc_1', 'status', ['RouteSet/routes', 'Deployment/dep_2', 'Deployment/dep_1']],
    ['svc_1', 'spec', ['Service/svc_1@3', 'RouteSet/routes', 'Deployment/dep_2', 'Deployment/dep_1']],
    ['prj_1', 'status', []],
  ];
  for (const [id, by, expected] of table) {
    it(`of ${id} (${by}) wakes ${expected.join(', ') || 'nobody'}`, async () => {
      const { store, woken, settle } = setUp();
      store.publish(id, by);
      await settle();
      assert.deepEqual(woken, expected);
    });
  }

  it('wakes nobody after the stop', async () => {
    const { store, woken, stop, settle } = setUp();
    stop();
    store.publish('rep_1', 'spec');
    await settle();
    assert.deepEqual(woken, []);
    assert.equal(store.listening, 0);
  });

  it('still wakes the others when a mapping cannot read the store', async () => {
    const { store, woken, log, settle } = setUp();
    store.broken = new Error('disk');
    store.publish('svc_1', 'status');
    await settle();
    assert.deepEqual(woken, ['RouteSet/routes']);
    assert.equal((log.lines[0]?.fields as { err: unknown }).err, store.broken);
  });

  it('still wakes the others when a mapping throws', () => {
    const ids = () => {
      throw new Error('wrong');
    };
    const { store, woken, log } = setUp([
      { from: 'Replica', to: 'Service', ids },
      { from: 'Replica', to: 'Deployment', ids: owner },
    ]);
    store.publish('rep_1', 'status');
    assert.deepEqual(woken, ['Deployment/dep_1']);
    assert.equal(log.lines.length, 1);
  });
});

describe('a table of mappings', () => {
  const refused: [name: string, mapping: Mapping][] = [
    ['a kind that wakes itself', { from: 'Replica', to: 'Replica', ids: owner }],
    ['a kind that nobody reconciles', { from: 'Replica', to: 'Upload', ids: owner }],
  ];
  for (const [name, mapping] of refused) {
    it(`with ${name} is refused at the start`, () => {
      assert.throws(() => setUp([mapping]), /are to wake/);
    });
  }
});
