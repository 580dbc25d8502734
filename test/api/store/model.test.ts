import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { OpenStore } from '../../../api/store/open.ts';
import type { Change } from '../../../api/store/store.ts';
import type { Row } from '../../../specs/index.ts';
import { anId, aService, memoryStore } from '../../support/store.ts';

type Service = Row<'Service'>;

/** The store as its interface promises it, in the plainest way: what it is compared with. */
class Model {
  readonly rows = new Map<string, Service>();

  create(row: Service): boolean {
    const taken = [...this.rows.values()].some(
      (other) => other.deleted_at === null && other.name === row.name,
    );
    if (taken || this.rows.has(row.id)) return false;
    this.rows.set(row.id, row);
    return true;
  }

  updateSpec(id: string, replicas: number): void {
    const row = this.rows.get(id);
    if (row && row.spec.replicas !== replicas) {
      this.save(row, { spec: { ...row.spec, replicas }, generation: row.generation + 1 });
    }
  }

  patchStatus(id: string, generation: number, promoted: string): void {
    const row = this.rows.get(id);
    if (!row || row.observed_generation > generation) return;
    const after = { status: { ...row.status, promoted }, observed_generation: generation };
    if (!isDeepStrictEqual({ ...row, ...after }, row)) this.save(row, after);
  }

  markDeleted(id: string): void {
    const row = this.rows.get(id);
    if (row?.deleted_at === null)
      this.save(row, { deleted_at: row.created_at, generation: row.generation + 1 });
  }

  private save(row: Service, change: Partial<Service>): void {
    this.rows.set(row.id, { ...row, ...change, version: row.version + 1 });
  }
}

const index = fc.integer({ min: 1, max: 4 });
const number = fc.integer({ min: 1, max: 3 });
const operation = fc.oneof(
  fc.record({ do: fc.constant('create' as const), row: index, value: number }),
  fc.record({ do: fc.constant('updateSpec' as const), row: index, value: number }),
  fc.record({ do: fc.constant('patchStatus' as const), row: index, value: number, generation: number }),
  fc.record({ do: fc.constant('markDeleted' as const), row: index }),
  fc.record({ do: fc.constant('purge' as const), row: index }),
  fc.record({ do: fc.constant('fail' as const), row: index }),
);
type Operation = typeof operation extends fc.Arbitrary<infer O> ? O : never;

async function carryOut(operation: Operation, store: OpenStore, model: Model): Promise<void> {
  const id = anId('service', operation.row);
  switch (operation.do) {
    case 'create': {
      const row = aService({ id, name: `web-${operation.value}` });
      const created = store.write((writer) => writer.create('Service', row)).then(() => true);
      assert.equal(await created.catch(() => false), model.create(row));
      return;
    }
    case 'updateSpec': {
      const replicas = operation.value;
      const writing = store.write((writer) =>
        writer.updateSpec('Service', id, (spec) => ({ ...spec, replicas })),
      );
      assert.equal(await writing.then(() => true).catch(() => false), model.rows.has(id));
      model.updateSpec(id, replicas);
      return;
    }
    case 'patchStatus':
      await store.patchStatus('Service', id, operation.generation, { promoted: `dep_${operation.value}` });
      model.patchStatus(id, operation.generation, `dep_${operation.value}`);
      return;
    case 'markDeleted':
      await store.write((writer) => writer.markDeleted('Service', id));
      model.markDeleted(id);
      return;
    case 'purge':
      await store.write((writer) => writer.purge('Service', id));
      model.rows.delete(id);
      return;
    case 'fail':
      await assert.rejects(
        store.write(async (writer) => {
          await writer.markDeleted('Service', id);
          await writer.purge('Service', id);
          throw new Error('no');
        }),
      );
  }
}

describe('any history of writes', () => {
  it('leaves what the interface promises, and tells of every change', async () => {
    const history = fc.array(operation, { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(history, async (operations) => {
        const store = await memoryStore();
        const model = new Model();
        // Whoever follows the feed and reads knows as much as whoever reads everything.
        const told = new Map<string, Change['by']>();
        store.onChange((change) => told.set(change.id, change.by));
        for (const operation of operations) {
          told.clear();
          const before = new Map(model.rows);
          await carryOut(operation, store, model);
          const expected = [...model.rows.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
          assert.deepEqual(await store.list('Service'), expected);
          const ids = new Set([...before.keys(), ...model.rows.keys()]);
          const changed = [...ids].filter((id) => before.get(id) !== model.rows.get(id));
          assert.deepEqual([...told.keys()], changed);
        }
        await store.close();
      }),
      { numRuns: 60, seed: 20_300_101 },
    );
  });
});
