import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Sqlite from 'better-sqlite3';
import type { OpenStore } from '../../../../api/store/open.ts';
import { SealedValueError, type SealedRef } from '../../../../api/store/vault.ts';
import { aSecret, refTo, seal } from '../../../support/secrets.ts';
import { anId, aStore } from '../../../support/store.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const owner = aSecret().owner;

describe('the vault', () => {
  let store: OpenStore;
  let file: string;
  let count = 0;
  const open = () => aStore({ file });
  /** Behind the store's back. */
  const tamper = (sql: string): void => {
    const database = new Sqlite(file);
    database.exec(sql);
    database.close();
  };

  beforeEach(async () => {
    file = join(directory, `${++count}.db`);
    store = await open();
  });
  afterEach(() => store.close());

  describe('keeps values', () => {
    it('that open as they were sealed, also after a restart', async () => {
      assert.deepEqual(
        await seal(store, aSecret(), aSecret({ name: 'OTHER', value: 'låñg\n'.repeat(9_999) })),
        [1, 1],
      );
      await store.close();
      store = await open();
      assert.equal(await store.vault.open(refTo(1)), 'hunter2');
      assert.equal(await store.vault.open(refTo(1, { name: 'OTHER' })), 'låñg\n'.repeat(9_999));
    });

    it('in versions, of which none changes', async () => {
      assert.deepEqual(await seal(store, aSecret({ value: 'first' })), [1]);
      assert.deepEqual(await seal(store, aSecret({ value: 'second' })), [2]);
      assert.deepEqual(await seal(store, aSecret({ value: 'second' })), [2]);
      assert.deepEqual(await seal(store, aSecret({ value: 'first' })), [3]);
      const opened = await Promise.all([1, 2, 3].map((version) => store.vault.open(refTo(version))));
      assert.deepEqual(opened, ['first', 'second', 'first']);
    });

    it('under no number that was given before', async () => {
      await seal(store, aSecret());
      await store.write((writer) => writer.dropSealed(owner));
      assert.deepEqual(await seal(store, aSecret({ value: 'next', after: 7 })), [8]);
    });

    it('and lists the newest of each name, without the values', async () => {
      await seal(
        store,
        aSecret({ name: 'B' }),
        aSecret({ name: 'B', value: 'newer' }),
        aSecret({ name: 'A' }),
      );
      await seal(store, aSecret({ owner: anId('service', 2), name: 'C' }));
      const created_at = '2030-01-01T00:00:00.000Z';
      assert.deepEqual(await store.vault.list(owner, 'env'), [
        { name: 'A', version: 1, created_at },
        { name: 'B', version: 2, created_at },
      ]);
      assert.deepEqual(await store.vault.list(owner, 'deploy-key'), []);
      const versions = await store.write((writer) => writer.sealedVersions(owner, 'env'));
      assert.deepEqual(
        versions.map(({ name, version }) => `${name}${version}`),
        ['A1', 'B1', 'B2'],
      );
    });

    it('until they are dropped, by owner, kind, name or version', async () => {
      const other = anId('service', 2);
      const all = [
        ...[aSecret(), aSecret({ value: 'newer' }), aSecret({ name: 'B' })],
        ...[aSecret({ kind: 'deploy-key', name: '' }), aSecret({ owner: other })],
      ];
      await seal(store, ...all);
      const refs = [
        ...[refTo(1), refTo(2), refTo(1, { name: 'B' })],
        ...[refTo(1, { kind: 'deploy-key', name: '' }), refTo(1, { owner: other })],
      ];
      const left = async () => {
        const opened = await Promise.allSettled(refs.map((ref) => store.vault.open(ref)));
        return opened.map(({ status }) => (status === 'fulfilled' ? '+' : '-')).join('');
      };
      assert.equal(await left(), '+++++');
      await store.write((writer) => writer.dropSealed(owner, { kind: 'env', name: 'TOKEN', version: 1 }));
      assert.equal(await left(), '-++++');
      await store.write((writer) => writer.dropSealed(owner, { kind: 'env', name: 'TOKEN' }));
      assert.equal(await left(), '--+++');
      await store.write((writer) => writer.dropSealed(owner, { kind: 'env' }));
      assert.equal(await left(), '---++');
      await store.write((writer) => writer.dropSealed(owner));
      assert.equal(await left(), '----+');
    });

    it('sealed, so that the file does not hold them', async () => {
      await seal(store, aSecret({ value: 'a-value-to-look-for' }));
      await store.close();
      const database = new Sqlite(file);
      const dump = JSON.stringify(database.prepare('select * from sealed').all());
      database.close();
      assert.match(dump, /"box":"1\./);
      assert.doesNotMatch(dump, /a-value-to-look-for/);
      store = await open();
    });

    it('and takes no empty one', async () => {
      await assert.rejects(seal(store, aSecret({ value: '' })), /empty text is no secret/);
    });
  });

  describe('does not answer', () => {
    it('what is not there', async () => {
      await assert.rejects(store.vault.open(refTo(1)), {
        name: 'SealedValueError',
        reason: 'missing',
        message: 'Version 1 of the secret TOKEN is not there. Set it again.',
      });
    });

    const swaps: Record<string, string> = {
      name: `update sealed set name = 'C' where name = 'B'; update sealed set name = 'B' where name = 'TOKEN';
        update sealed set name = 'TOKEN' where name = 'C'`,
      owner: `update sealed set owner = '${anId('service', 2)}' where name = 'TOKEN'`,
      version: `update sealed set version = 2 where name = 'TOKEN'`,
      kind: `update sealed set kind = 'answer' where name = 'TOKEN'`,
      project: `update sealed set project = '' where name = 'TOKEN'`,
      box: `update sealed set box = (select box from sealed where name = 'B') where name = 'TOKEN'`,
      'key version': `update sealed set key_version = 2 where name = 'TOKEN'`,
    };
    for (const [what, sql] of Object.entries(swaps)) {
      it(`a row whose ${what} was changed behind its back`, async () => {
        await seal(store, aSecret(), aSecret({ name: 'B', value: 'another' }));
        await store.close();
        tamper(sql);
        store = await open();
        const ref: Partial<SealedRef> =
          what === 'owner' ? { owner: anId('service', 2) } : what === 'kind' ? { kind: 'answer' } : {};
        await assert.rejects(store.vault.open(refTo(what === 'version' ? 2 : 1, ref)), (error: Error) => {
          assert.ok(error instanceof SealedValueError && error.reason === 'unreadable', error.message);
          assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /hunter2|another$/);
          return true;
        });
      });
    }
  });
});
