import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { MikroORM, type MigrationObject } from '@mikro-orm/sqlite';
import { Migration } from '@mikro-orm/migrations';
import Sqlite from 'better-sqlite3';
import { entities } from '../../../api/store/entities.ts';
import { migrationTable } from '../../../api/store/migrate.ts';
import { migrations } from '../../../api/store/migrations/list.ts';
import { openStore } from '../../../api/store/open.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { aService, given } from '../../support/store.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const directory = temporaryDirectory();

class AddsATable extends Migration {
  override up(): void {
    this.addSql('create table job (id text not null primary key)');
  }
}

class FailsHalfWay extends Migration {
  override up(): void {
    this.addSql('create table half (id text not null primary key)');
    this.addSql(`update service set name = 'changed'`);
    this.addSql('create table half (id text not null primary key)');
  }
}

const newer: MigrationObject[] = [...migrations, { name: '9998-job', class: AddsATable }];
const broken: MigrationObject[] = [...newer, { name: '9999-broken', class: FailsHalfWay }];

describe('migrating', () => {
  let file: string;
  let backups: string;
  let count = 0;
  const open = (list?: MigrationObject[], log = recordingLog()) =>
    openStore({ file, clock: new ManualClock(), log, ...(list ? { migrations: list } : {}) });

  beforeEach(() => {
    file = join(directory, String(++count), 'svc.db');
    backups = join(directory, String(count), 'backups');
  });

  it('makes the schema that the entities describe', async () => {
    await (await open()).close();
    const orm = new MikroORM({ entities, dbName: file });
    assert.equal(await orm.schema.getUpdateSchemaSQL({ dropTables: false }), '');
    await orm.close();
  });

  it('copies nothing when it makes a new database', async () => {
    await (await open()).close();
    await (await open()).close();
    assert.equal(existsSync(backups), false);
  });

  it('puts a copy aside before it changes a database', async () => {
    const old = await open();
    await given(old, aService());
    await old.close();

    const store = await open(newer);
    assert.equal((await store.list('Service')).length, 1);
    await store.close();
    assert.deepEqual(tables(file).includes('job'), true);

    assert.deepEqual(readdirSync(backups), ['svc.db.0001-initial-20300101000000000']);
    const copy = join(backups, 'svc.db.0001-initial-20300101000000000');
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    assert.equal(tables(copy).includes('job'), false);
    file = copy;
    const restored = await open();
    assert.equal((await restored.list('Service')).length, 1);
    await restored.close();
  });

  it('refuses a database of a newer version, naming both', async () => {
    await (await open(newer)).close();
    const bytes = readFileSync(file);
    await assert.rejects(open(), (error: Error) => {
      assert.match(
        error.message,
        /schema version 9998-job of a newer svc; this one knows up to 0001-initial\./,
      );
      assert.ok(error.message.includes(backups));
      return true;
    });
    assert.ok(readFileSync(file).equals(bytes));
    await (await open(newer)).close();
  });

  it('leaves the database as it was when a migration fails', async () => {
    const old = await open();
    await given(old, aService());
    await old.close();
    await assert.rejects(open(broken), /half/);
    assert.equal(tables(file).includes('half'), false);
    assert.equal(tables(file).includes('job'), false);
    const store = await open();
    assert.equal((await store.list('Service'))[0]?.name, 'web');
    await store.close();
  });
});

function tables(file: string): string[] {
  const database = new Sqlite(file, { readonly: true });
  const rows = database
    .prepare<[], { name: string }>(`select name from sqlite_schema where type = 'table'`)
    .all();
  database.close();
  assert.ok(rows.some(({ name }) => name === migrationTable));
  return rows.map(({ name }) => name);
}
