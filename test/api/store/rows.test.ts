import { rmSync } from 'node:fs';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { OpenStore } from '../../../api/store/open.ts';
import type { Change } from '../../../api/store/store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  aDeployment,
  anId,
  aProject,
  aReplica,
  aService,
  anUpload,
  aStore,
  given,
} from '../../support/store.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const directory = temporaryDirectory();

// One suite for both: tests of others rely on the store in memory being like the one on disk.
for (const [medium, file] of Object.entries({ memory: ':memory:', disk: join(directory, 'svc.db') })) {
  describe(`rows in ${medium}`, () => {
    let clock: ManualClock;
    let store: OpenStore;
    let changes: Change[];

    beforeEach(async () => {
      clock = new ManualClock();
      store = await aStore({ file, clock });
      changes = [];
      store.onChange((change) => changes.push(change));
    });
    afterEach(async () => {
      await store.close();
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
    });

    it('gives back what was put in', async () => {
      for (const row of [aProject(), aService(), aDeployment(), aReplica(), anUpload()]) {
        const created = await store.write((writer) => writer.create(row.kind, row));
        assert.deepEqual(created, row);
        assert.deepEqual(await store.get(row.kind, row.id), row);
      }
      assert.equal(await store.get('Service', 'svc_none'), undefined);
    });

    it('keeps text as it is', async () => {
      const env = { QUOTE: `'; drop table service; --"\\`, UMLAUT: 'ä€😀', NUL: 'a\u0000b', EMPTY: '' };
      await given(store, aService({ spec: { env } }));
      assert.deepEqual((await store.get('Service', anId('service')))?.spec.env, env);
    });

    it('refuses a name that a living row of the same owner has', async () => {
      await given(store, aProject(), aService());
      const taken = { name: 'ProblemError', code: 'conflict' };
      await assert.rejects(given(store, aProject({ id: anId('project', 2) })), taken);
      await assert.rejects(given(store, aService({ id: anId('service', 2) })), taken);
      await given(store, aService({ id: anId('service', 3), owner: anId('project', 2) }));
      await given(store, aService({ id: anId('service', 4), name: 'other' }));
    });

    it('finds the living row of a name, else the newest', async () => {
      const [first, second, third] = [1, 2, 3].map((n) => anId('service', n)) as [string, string, string];
      const find = async () => (await store.find('Service', anId('project'), 'web'))?.id;
      assert.equal(await find(), undefined);
      await given(store, aService({ id: second }));
      assert.equal(await find(), second);
      await store.write((writer) => writer.markDeleted('Service', second));
      assert.equal(await find(), second);
      await given(store, aService({ id: first }));
      assert.equal(await find(), first);
      await store.write((writer) => writer.markDeleted('Service', first));
      await given(store, aService({ id: third }));
      await store.write((writer) => writer.markDeleted('Service', third));
      assert.equal(await find(), third);
    });

    it('lists newest first, by owner and name, in pages', async () => {
      const rows = [1, 2, 3, 4, 5].map((n) =>
        aService({ id: anId('service', n), name: `web-${n}`, owner: anId('project', (n % 2) + 1) }),
      );
      await given(store, ...rows);
      const ids = async (options = {}) => (await store.list('Service', options)).map(({ id }) => id);
      const expected = (...numbers: number[]) => numbers.map((n) => anId('service', n));
      assert.deepEqual(await ids(), expected(5, 4, 3, 2, 1));
      assert.deepEqual(await ids({ owner: anId('project', 2) }), expected(5, 3, 1));
      assert.deepEqual(await ids({ name: 'web-2' }), expected(2));
      assert.deepEqual(await ids({ owner: anId('project', 2), name: 'web-2' }), []);
      assert.deepEqual(await ids({ limit: 2 }), expected(5, 4));
      assert.deepEqual(await ids({ limit: 2, before: anId('service', 4) }), expected(3, 2));
      assert.deepEqual(await ids({ owner: anId('project', 2), before: anId('service', 3) }), expected(1));
    });

    it('raises the generation when the spec differs, and only then', async () => {
      await given(store, aService());
      await clock.advance(1000);
      changes.length = 0;
      const id = anId('service');
      const update = (env: Record<string, string>) =>
        store.write((writer) => writer.updateSpec('Service', id, (spec) => ({ ...spec, env })));

      const updated = await update({ A: '1', B: '2' });
      assert.equal(updated.generation, 2);
      assert.equal(updated.version, 2);
      assert.equal(updated.updated_at, '2030-01-01T00:00:01.000Z');
      assert.deepEqual(await store.get('Service', id), updated);

      assert.deepEqual(await update({ B: '2', A: '1' }), updated);
      assert.deepEqual(await store.get('Service', id), updated);
      assert.deepEqual(changes, [{ kind: 'Service', id, owner: anId('project'), by: 'spec', generation: 2 }]);
    });

    it('sees a spec that was changed in place', async () => {
      await given(store, aService());
      const change = await store.write((writer) =>
        writer.updateSpec('Service', anId('service'), (spec) => {
          spec.env['A'] = '1';
          return spec;
        }),
      );
      assert.equal(change.generation, 2);
      assert.deepEqual((await store.get('Service', anId('service')))?.spec.env, { A: '1' });
    });

    it('guards a spec against lost updates', async () => {
      await given(store, aService());
      const update = (version: number, port: number) =>
        store.write((writer) =>
          writer.updateSpec('Service', anId('service'), (spec) => ({ ...spec, port }), version),
        );
      await update(1, 81);
      await assert.rejects(update(1, 82), { code: 'precondition_failed' });
      await update(2, 83);
      assert.equal((await store.get('Service', anId('service')))?.spec.port, 83);
      const gone = store.write((writer) => writer.updateSpec('Service', 'svc_none', (spec) => spec));
      await assert.rejects(gone, { code: 'not_found' });
    });

    it('marks a row deleted once, and removes it when it is purged', async () => {
      await given(store, aService());
      const id = anId('service');
      const markDeleted = () => store.write((writer) => writer.markDeleted('Service', id));
      await markDeleted();
      const marked = await store.get('Service', id);
      assert.equal(marked?.deleted_at, '2030-01-01T00:00:00.000Z');
      assert.equal(marked.generation, 2);
      await clock.advance(1000);
      await markDeleted();
      assert.deepEqual(await store.get('Service', id), marked);

      await store.write((writer) => writer.purge('Service', id));
      await store.write((writer) => writer.purge('Service', id));
      await markDeleted();
      assert.equal(await store.get('Service', id), undefined);
      assert.deepEqual(
        changes.map(({ by, generation }) => [by, generation]),
        [
          ['spec', 1],
          ['deleted', 2],
          ['purged', 2],
        ],
      );
    });

    describe('patchStatus', () => {
      const id = anId('service');
      const conditions = [
        { type: 'Ready', status: 'True', reason: 'Serving', message: '', last_transition_at: 'x' },
      ] as const;

      beforeEach(async () => {
        await given(store, aService());
        changes.length = 0;
      });

      it('merges into the status and records the generation', async () => {
        assert.equal(await store.patchStatus('Service', id, 1, { promoted: 'dep_1' }), true);
        assert.equal(await store.patchStatus('Service', id, 1, { conditions: [...conditions] }), true);
        const row = await store.get('Service', id);
        assert.deepEqual(row?.status, {
          promoted: 'dep_1',
          previous: null,
          bake: null,
          parked_since: null,
          conditions,
        });
        assert.deepEqual([row.generation, row.observed_generation, row.version], [1, 1, 3]);
        assert.deepEqual(
          changes.map(({ by }) => by),
          ['status', 'status'],
        );
      });

      it('writes nothing when nothing differs', async () => {
        await store.patchStatus('Service', id, 1, { promoted: 'dep_1', conditions: [...conditions] });
        const before = await store.get('Service', id);
        changes.length = 0;
        await clock.advance(1000);
        assert.equal(await store.patchStatus('Service', id, 1, { conditions: [...conditions] }), false);
        assert.equal(await store.patchStatus('Service', id, 1, {}), false);
        assert.deepEqual(await store.get('Service', id), before);
        assert.deepEqual(changes, []);
      });

      it('writes an equal status once for a generation that was not observed', async () => {
        assert.equal(await store.patchStatus('Service', id, 1, {}), true);
        assert.equal((await store.get('Service', id))?.observed_generation, 1);
        assert.equal(await store.patchStatus('Service', id, 1, {}), false);
      });

      it('lets a verdict on an older generation pass by', async () => {
        await store.write((writer) => writer.updateSpec('Service', id, (spec) => ({ ...spec, replicas: 2 })));
        assert.equal(await store.patchStatus('Service', id, 2, { promoted: 'dep_2' }), true);
        assert.equal(await store.patchStatus('Service', id, 1, { promoted: 'dep_1' }), false);
        assert.equal((await store.get('Service', id))?.status.promoted, 'dep_2');
        assert.equal((await store.get('Service', id))?.observed_generation, 2);
      });

      it('does nothing to a row that is gone', async () => {
        assert.equal(await store.patchStatus('Service', 'svc_none', 1, { promoted: 'dep_1' }), false);
        assert.deepEqual(changes, []);
      });

      it('leaves the spec alone', async () => {
        await store.patchStatus('Service', id, 1, { promoted: 'dep_1' });
        assert.deepEqual((await store.get('Service', id))?.spec, aService().spec);
        assert.equal((await store.get('Service', id))?.generation, 1);
      });
    });
  });
}
