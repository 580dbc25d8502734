import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Sqlite from 'better-sqlite3';
import type { OpenStore } from '../../../../api/store/open.ts';
import { recordingLog } from '../../../support/recording-log.ts';
import { aSecret, refTo, seal } from '../../../support/secrets.ts';
import { aNodeKey, aStore } from '../../../support/store.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const { project } = aSecret();
const isUnreadable = { name: 'SealedValueError', reason: 'unreadable' };

describe('a vault under another node key', () => {
  let store: OpenStore;
  let file: string;
  let count = 0;
  const open = (nodeKeys = [aNodeKey()], log = recordingLog()) => aStore({ file, nodeKeys, log });
  const reopen = async (...options: Parameters<typeof open>): Promise<void> => {
    await store.close();
    store = await open(...options);
  };
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

  it('reseals everything, and opens it under the new one only', async () => {
    await seal(
      store,
      aSecret(),
      aSecret({ value: 'newer' }),
      aSecret({ kind: 'answer', value: 'an answer' }),
    );
    assert.equal(store.vault.keyVersion(), 1);
    assert.deepEqual(await store.vault.rotate(aNodeKey(2)), { key_version: 2, resealed: 3, unreadable: 0 });
    assert.equal(store.vault.keyVersion(), 2);
    assert.deepEqual(store.nodeKey(), aNodeKey(2));
    assert.equal(await store.vault.open(refTo(2)), 'newer');
    assert.deepEqual(await seal(store, aSecret({ value: 'newest' })), [3]);
    assert.deepEqual(store.vault.secretsOf(project), ['hunter2', 'newer', 'newest']);

    await reopen([aNodeKey(2)]);
    assert.equal(store.vault.keyVersion(), 2);
    const opened = await Promise.all([1, 2, 3].map((version) => store.vault.open(refTo(version))));
    assert.deepEqual(opened, ['hunter2', 'newer', 'newest']);
  });

  it('goes on with the old one when the rotation fails', async () => {
    await seal(store, aSecret());
    await assert.rejects(store.vault.rotate(Buffer.alloc(16)), /32 bytes/);
    await reopen();
    tamper(`create trigger no before update on sealed begin select raise(abort, 'no'); end`);
    await assert.rejects(store.vault.rotate(aNodeKey(2)), /no/);
    assert.equal(store.vault.keyVersion(), 1);
    assert.deepEqual(store.nodeKey(), aNodeKey());
    assert.equal(await store.vault.open(refTo(1)), 'hunter2');
    await reopen();
    assert.equal(store.vault.keyVersion(), 1);
    assert.equal(await store.vault.open(refTo(1)), 'hunter2');
  });

  it('takes the newest that the database knows, whichever comes first', async () => {
    await seal(store, aSecret());
    await store.vault.rotate(aNodeKey(2));
    for (const nodeKeys of [
      [aNodeKey(1), aNodeKey(2)],
      [aNodeKey(2), aNodeKey(1)],
      [aNodeKey(3), aNodeKey(2)],
    ]) {
      const log = recordingLog();
      await reopen(nodeKeys, log);
      assert.deepEqual(store.nodeKey(), aNodeKey(2));
      assert.equal(await store.vault.open(refTo(1)), 'hunter2');
      assert.deepEqual(log.lines, []);
    }
  });

  it('starts without the right one, says so once, and keeps what it cannot open', async () => {
    await seal(store, aSecret(), aSecret({ name: 'B', value: 'another' }), aSecret({ kind: 'answer' }));
    const log = recordingLog();
    await reopen([aNodeKey(2)], log);
    assert.equal(store.vault.keyVersion(), 2);
    const errors = log.lines.filter(({ level }) => level === 'error');
    assert.equal(errors.length, 2);
    assert.match(String(errors[0]?.message), /Put the right node\.key back/);
    assert.deepEqual(errors[1]?.fields, { unreadable: 2, key_version: 2 });
    await assert.rejects(store.vault.open(refTo(1)), isUnreadable);
    assert.deepEqual(store.vault.secretsOf(project), []);

    assert.deepEqual(await seal(store, aSecret({ value: 'set again' })), [2]);
    assert.equal(await store.vault.open(refTo(2)), 'set again');
    const rotated = await store.vault.rotate(aNodeKey(3));
    assert.deepEqual(rotated, { key_version: 3, resealed: 1, unreadable: 3 });
    await assert.rejects(store.vault.open(refTo(1)), isUnreadable);
  });

  it('opens everything again once the lost one is back', async () => {
    await seal(store, aSecret());
    await reopen([aNodeKey(2)]);
    await seal(store, aSecret({ name: 'B', value: 'made meanwhile' }));
    await reopen([aNodeKey(1)]);
    assert.equal(store.vault.keyVersion(), 3);
    assert.equal(await store.vault.open(refTo(1)), 'hunter2');
    await assert.rejects(store.vault.open(refTo(1, { name: 'B' })), isUnreadable);
    await reopen([aNodeKey(1)]);
    assert.equal(store.vault.keyVersion(), 3);
    assert.equal(await store.vault.open(refTo(1)), 'hunter2');
  });

  it('takes at least one', async () => {
    await assert.rejects(aStore({ nodeKeys: [] }), /at least one node key/);
  });

  it('keeps no key and no plain hash of one in the database', async () => {
    await store.close();
    const database = new Sqlite(file);
    const rows = JSON.stringify(database.prepare('select * from node_key').all());
    database.close();
    for (const encoding of ['hex', 'base64', 'latin1'] as const)
      assert.ok(!rows.includes(aNodeKey().toString(encoding)));
    store = await open();
  });
});
