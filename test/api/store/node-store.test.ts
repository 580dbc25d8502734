import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { openNodeStore, type NodeStore } from '../../../api/store/node-store.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { aNodeKey, aService, aStore, given } from '../../support/store.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const clock = new ManualClock();
const log = recordingLog();
const random = seededRandom();

describe('the store of a node', () => {
  let dataDir: string;
  let nodeKey: Buffer;
  let count = 0;
  const open = (databaseUrl?: string): Promise<NodeStore> =>
    openNodeStore({
      ...{ dataDir, clock, random, log },
      readNodeKeys: () => Promise.resolve([nodeKey]),
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
    });
  const openAndClose = async (databaseUrl?: string): Promise<string> => {
    const node = await open(databaseUrl);
    await node.close();
    return node.nodeId;
  };
  const inDir = (name: string) => join(dataDir, name);

  beforeEach(() => {
    dataDir = join(directory, String(++count));
    nodeKey = aNodeKey();
  });

  it('gives a new node an id that it keeps', async () => {
    const node = await open();
    await given(node.store, aService());
    await node.close();
    assert.match(node.nodeId, /^[0-9a-f]{16}$/);
    assert.equal(readFileSync(inDir('node.id'), 'utf8'), `${node.nodeId}\n`);
    assert.equal(statSync(inDir('node.id')).mode & 0o777, 0o600);
    const again = await open();
    assert.equal(again.nodeId, node.nodeId);
    assert.equal((await again.store.list('Service')).length, 1);
    await again.close();
  });

  it('gives every node another id', async () => {
    const first = await openAndClose();
    dataDir = join(directory, String(++count));
    assert.notEqual(await openAndClose(), first);
  });

  it('refuses a directory that is in use, until it is closed', async () => {
    const node = await open();
    await assert.rejects(open(), { message: new RegExp(`is in use by process ${process.pid}\\.`) });
    await node.close();
    await openAndClose();
  });

  it('unlocks the directory when it cannot be opened', async () => {
    await openAndClose();
    writeFileSync(inDir('svc.db'), 'hello world '.repeat(1000));
    await assert.rejects(open(), /damaged or not a database/);
    await assert.rejects(open(), /damaged or not a database/);
  });

  it('refuses to make a new database in the place of one that is gone', async () => {
    const id = await openAndClose();
    renameSync(inDir('svc.db'), inDir('aside.db'));
    const message = new RegExp(
      `belongs to node ${id}, but its database .*svc\\.db is missing or empty\\. Put the database`,
    );
    await assert.rejects(open(), message);
    assert.equal(existsSync(inDir('svc.db')), false);
    writeFileSync(inDir('svc.db'), '');
    await assert.rejects(open(), message);
    assert.equal(statSync(inDir('svc.db')).size, 0);
    renameSync(inDir('aside.db'), inDir('svc.db'));
    assert.equal(await openAndClose(), id);
  });

  it('refuses a database that belongs to no node', async () => {
    const id = await openAndClose();
    rmSync(inDir('svc.db'));
    await (await aStore({ file: inDir('svc.db'), clock, log })).close();
    await assert.rejects(open(), new RegExp(`belongs to node ${id}, but the database belongs to none\\.`));
  });

  it('refuses the database of another node', async () => {
    const first = await openAndClose();
    const foreign = `sqlite:${inDir('svc.db')}`;
    dataDir = join(directory, String(++count));
    const second = await openAndClose();
    nodeKey = aNodeKey(2);
    await assert.rejects(
      open(foreign),
      new RegExp(`belongs to node ${second}, but the database to node ${first}\\.`),
    );
    // And writes no key of its own into it.
    const store = await aStore({ file: foreign.replace('sqlite:', ''), clock, log });
    assert.equal(store.vault.keyVersion(), 1);
    await store.close();
  });

  it('refuses the database of a node in a new directory, until it is told to become that node', async () => {
    const id = await openAndClose();
    const foreign = `sqlite:${inDir('svc.db')}`;
    dataDir = join(directory, String(++count));
    await assert.rejects(
      open(foreign),
      new RegExp(`belongs to node ${id}, but .* to none\\..*write the id to .*node\\.id`),
    );
    writeFileSync(inDir('node.id'), id);
    assert.equal(await openAndClose(foreign), id);
  });

  describe('after a crash in its very first start', () => {
    it('goes on when nothing but the draft of the id was written', async () => {
      const id = await openAndClose();
      renameSync(inDir('node.id'), inDir('node.id.draft'));
      rmSync(inDir('svc.db'));
      assert.equal(await openAndClose(), id);
    });

    it('goes on when the database has the id already', async () => {
      const id = await openAndClose();
      renameSync(inDir('node.id'), inDir('node.id.draft'));
      assert.equal(await openAndClose(), id);
      assert.equal(existsSync(inDir('node.id.draft')), false);
    });

    it('goes on when the draft is empty', async () => {
      await openAndClose();
      renameSync(inDir('node.id'), inDir('node.id.draft'));
      truncateSync(inDir('node.id.draft'));
      rmSync(inDir('svc.db'));
      assert.match(await openAndClose(), /^[0-9a-f]{16}$/);
    });
  });

  it('refuses a URL that is none of SQLite without showing it', async () => {
    await assert.rejects(open('postgres://svc:hunter2@db/svc'), (error: Error) => {
      assert.equal(error.message, 'SERVICE_DATABASE_URL must be sqlite:<path of a file>.');
      return true;
    });
    await openAndClose(`sqlite://${inDir('elsewhere.db')}`);
    assert.equal(existsSync(inDir('elsewhere.db')), true);
  });
});
