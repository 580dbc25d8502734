import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import Sqlite, { type Database } from 'better-sqlite3';
import { connectSqlite, type Connection } from '../../../api/store/connection.ts';
import { configure } from '../../../api/store/sqlite-file.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const query = (sql: string, ...parameters: unknown[]) => ({ sql, parameters });
const insert = (connection: Connection, text: string) =>
  connection.transaction((session) => session.run(query('insert into line values (?)', text)));

describe('a connection', () => {
  let clock: ManualClock;
  let database: Database;
  let other: Database;
  let connection: Connection;
  let count = 0;

  beforeEach(() => {
    clock = new ManualClock();
    const file = join(directory, `${++count}.db`);
    database = new Sqlite(file, { timeout: 0 });
    configure(database);
    database.exec('create table line (text text)');
    other = new Sqlite(file, { timeout: 0 });
    connection = connectSqlite(database, clock);
  });
  afterEach(() => {
    other.close();
    database.close();
  });

  const lines = () => connection.all(query('select text from line'));

  it('waits for another process that writes, and reads meanwhile', async () => {
    other.exec('begin immediate');
    const writing = insert(connection, 'a');
    await clock.advance(1000);
    assert.deepEqual(await lines(), []);
    other.exec('rollback');
    await clock.advance(50);
    assert.equal(await writing, 1);
    assert.deepEqual(await lines(), [{ text: 'a' }]);
    assert.equal(clock.pending, 0);
  });

  it('gives up after five seconds, and works again once the other is done', async () => {
    other.exec('begin immediate');
    const outcome = assert.rejects(insert(connection, 'a'), { code: 'unavailable', retryAfter: 5 });
    await clock.advance(5_000);
    await outcome;
    other.exec('rollback');
    await insert(connection, 'b');
    assert.deepEqual(await lines(), [{ text: 'b' }]);
  });

  it('fails a transaction as a whole when the disk is full', async () => {
    await insert(connection, 'a');
    const pages = Number(database.pragma('page_count', { simple: true }));
    database.pragma(`max_page_count = ${pages + 2}`);
    const filling = connection.transaction(async (session) => {
      for (let n = 0; n < 100; n++) await session.run(query('insert into line values (?)', 'x'.repeat(1000)));
    });
    await assert.rejects(filling, { code: 'unavailable', message: /disk of the database is full/ });
    assert.deepEqual(await lines(), [{ text: 'a' }]);
    database.pragma('max_page_count = 100000');
    await insert(connection, 'b');
    assert.deepEqual(await lines(), [{ text: 'a' }, { text: 'b' }]);
  });

  it('waits for the disk, except in what may be lazy, and again after that', async () => {
    const waits = async (lazy: boolean): Promise<boolean> => {
      let synchronous: unknown;
      const look = () => {
        synchronous = database.pragma('synchronous', { simple: true });
        return Promise.resolve();
      };
      await connection.transaction(look, { lazy });
      return synchronous === 2;
    };
    assert.equal(await waits(false), true);
    assert.equal(await waits(true), false);
    assert.equal(await waits(false), true);
    const failing = connection.transaction(() => Promise.reject(new Error('no')), { lazy: true });
    await assert.rejects(failing, { message: 'no' });
    assert.equal(await waits(false), true);
  });

  it('binds values and never reads them as SQL', async () => {
    const text = `'); drop table line; --`;
    await insert(connection, text);
    assert.deepEqual(await lines(), [{ text }]);
  });
});
