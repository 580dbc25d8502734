import assert from 'node:assert/strict';
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import Sqlite from 'better-sqlite3';
import { configure } from '../../../api/store/sqlite-file.ts';
import { anId, aService, aStore, given } from '../../support/store.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const open = (file: string) => aStore({ file });

describe('opening a database', () => {
  const good = join(directory, 'good', 'svc.db');

  before(async () => {
    const store = await open(good);
    const rows = Array.from({ length: 200 }, (_, n) =>
      aService({ id: anId('service', n), name: `web-${n}` }),
    );
    await given(store, ...rows);
    await store.close();
  });

  it('makes it where nothing is, readable by its owner only', async () => {
    const file = join(directory, 'fresh', 'svc.db');
    const store = await open(file);
    await given(store, aService());
    for (const suffix of ['', '-wal', '-shm']) assert.equal(statSync(`${file}${suffix}`).mode & 0o777, 0o600);
    assert.equal(statSync(join(directory, 'fresh')).mode & 0o777, 0o700);
    await store.close();
  });

  it('finds again what was written', async () => {
    const store = await open(good);
    assert.equal((await store.list('Service')).length, 200);
    await store.close();
  });

  it('sets SQLite up so that a commit survives a power cut', () => {
    const database = new Sqlite(join(directory, 'configured.db'));
    configure(database);
    assert.equal(database.pragma('journal_mode', { simple: true }), 'wal');
    assert.equal(database.pragma('synchronous', { simple: true }), 2);
    assert.equal(database.pragma('foreign_keys', { simple: true }), 0);
    database.close();
  });

  const damages: Record<string, (file: string) => void> = {
    'no database': (file) => writeFileSync(file, 'hello world '.repeat(1000)),
    'without its header': (file) => overwrite(file, 0, Buffer.alloc(100)),
    'cut in half': (file) => truncateSync(file, Math.floor(statSync(file).size / 2 / 4096) * 4096),
    'cut within a page': (file) => truncateSync(file, 10_001),
    'with a page of zeros': (file) => overwrite(file, 4096 * 20, Buffer.alloc(4096)),
    'with a wrong byte': (file) => overwrite(file, 4096 * 20, Buffer.from([255])),
  };
  for (const [name, damage] of Object.entries(damages)) {
    it(`refuses a file that is ${name}, and leaves it as it is`, async () => {
      const file = join(directory, `${name}.db`);
      copyFileSync(good, file);
      damage(file);
      const bytes = readFileSync(file);
      await assert.rejects(open(file), (error: Error) => {
        assert.match(error.message, /is damaged or not a database\. Nothing was changed\. Put a backup/);
        assert.ok(error.message.startsWith(file));
        assert.ok(error.cause);
        return true;
      });
      assert.ok(readFileSync(file).equals(bytes));
      assert.equal(existsSync(`${file}-wal`), false);
    });
  }

  it('refuses the database of another program, and leaves it as it is', async () => {
    const file = join(directory, 'foreign.db');
    const foreign = new Sqlite(file);
    foreign.exec('create table bookmark (url text)');
    foreign.close();
    const bytes = readFileSync(file);
    await assert.rejects(open(file), /is a database of another program/);
    assert.ok(readFileSync(file).equals(bytes));
  });

  it('refuses a path that is no file', async () => {
    await assert.rejects(open(directory), { code: 'EISDIR' });
  });
});

function overwrite(file: string, position: number, bytes: Buffer): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, bytes, 0, bytes.length, position);
  closeSync(handle);
}
