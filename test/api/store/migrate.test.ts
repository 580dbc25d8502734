import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { MikroORM, type MigrationObject } from '@mikro-orm/sqlite';
import { Migration, Migrator } from '@mikro-orm/migrations';
import Sqlite from 'better-sqlite3';
import { entities } from '../../../api/store/entities.ts';
import { migrationTable } from '../../../api/store/migrate.ts';
import { migrations } from '../../../api/store/migrations/list.ts';
import { recordingLog } from '../../support/recording-log.ts';
import type { Kind, Row } from '../../../specs/index.ts';
import { aDeployment, aProject, aService, aStore, anId, given } from '../../support/store.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const directory = temporaryDirectory();

class AddsATable extends Migration {
  override up(): void {
    this.addSql('create table later (id text not null primary key)');
  }
}

class FailsHalfWay extends Migration {
  override up(): void {
    this.addSql('create table half (id text not null primary key)');
    this.addSql(`update service set name = 'changed'`);
    this.addSql('create table half (id text not null primary key)');
  }
}

const newer: MigrationObject[] = [...migrations, { name: '9998-later', class: AddsATable }];
const broken: MigrationObject[] = [...newer, { name: '9999-broken', class: FailsHalfWay }];

describe('migrating', () => {
  let file: string;
  let backups: string;
  let count = 0;
  const open = (list?: MigrationObject[], log = recordingLog()) =>
    aStore({ file, log, ...(list ? { migrations: list } : {}) });

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
    assert.deepEqual(tables(file).includes('later'), true);

    assert.deepEqual(readdirSync(backups), ['svc.db.0003-running-20300101000000000']);
    const copy = join(backups, 'svc.db.0003-running-20300101000000000');
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    assert.equal(tables(copy).includes('later'), false);
    file = copy;
    const restored = await open();
    assert.equal((await restored.list('Service')).length, 1);
    await restored.close();
  });

  it('rewrites what version 1 wrote, and keeps everything', async () => {
    await makeVersionOne(file);
    const store = await open();
    const service = await store.get('Service', aService().id);
    assert.deepEqual(service, aService());
    const deployment = await store.get('Deployment', aDeployment().id);
    assert.deepEqual(deployment, aDeployment());
    const network = await store.get('Project', aProject().id);
    assert.equal(network?.status.network_name, 'svc-89abcdef-shop');
    const without = await store.get('Project', anId('project', 2));
    assert.equal(without?.status.network_name, null);
    assert.deepEqual(await store.accounts.findUser('ada'), {
      ...{ id: 'usr_1', username: 'ada', password_hash: '$argon2id$', super_admin: true },
      ...{ created_at: 'yesterday', version: 1, updated_at: 'yesterday' },
    });
    assert.deepEqual(await store.accounts.findToken('00'), {
      ...{ id: 'tok_1', kind: 'api', user_id: 'usr_1', name: 'ci', hash: '00', created_at: 'yesterday' },
      ...{ expires_at: null, last_used_at: null, project_id: null, role: null },
    });
    assert.equal(store.vault.keyVersion(), 1);
    await store.close();
  });

  it('refuses a database of a newer version, naming both', async () => {
    await (await open(newer)).close();
    const bytes = readFileSync(file);
    await assert.rejects(open(), (error: Error) => {
      assert.match(
        error.message,
        /schema version 9998-later of a newer svc; this one knows up to 0003-running\./,
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
    assert.equal(tables(file).includes('later'), false);
    const store = await open();
    assert.equal((await store.list('Service'))[0]?.name, 'web');
    await store.close();
  });
});

/** A database as the first version left it, with a row of everything that was changed since. */
async function makeVersionOne(file: string): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  const orm = new MikroORM({
    ...{ entities, dbName: file, extensions: [Migrator] },
    migrations: { tableName: migrationTable, migrationsList: migrations.slice(0, 1), snapshot: false },
  });
  await orm.migrator.up();
  await orm.close();
  const database = new Sqlite(file);
  const { secrets, ...serviceSpec } = aService().spec;
  const { configured, ...rollout } = serviceSpec.rollout;
  const { reuse, ...deploymentSpec } = aDeployment().spec;
  const { secrets: frozen, ...workload } = deploymentSpec.workload;
  assert.deepEqual([secrets, configured, reuse, frozen], [{}, null, null, {}]);
  insert(database, 'service', { ...aService(), spec: { ...serviceSpec, rollout } });
  insert(database, 'deployment', { ...aDeployment(), spec: { ...deploymentSpec, workload } });
  const { network_name, ...project } = aProject().status;
  assert.equal(typeof network_name, 'string');
  insert(database, 'project', { ...aProject(), owner: '', status: project });
  const second = { id: anId('project', 2), name: 'lab', status: { ...project, subnet: null, network: null } };
  insert(database, 'project', { ...aProject(), owner: '', ...second });
  database.exec(`insert into meta values ('node_id', '0123456789abcdef')`);
  database.exec(`insert into user values ('usr_1', 'ada', '$argon2id$', 1, 'yesterday')`);
  database.exec(`insert into token values ('tok_1', 'api', 'usr_1', 'ci', '00', 'yesterday', null, null)`);
  database.close();
}

type Stored = Omit<Row<Kind>, 'spec' | 'status'> & { spec: object; status: object };

function insert(database: Sqlite.Database, table: string, { kind, ...row }: Stored): void {
  assert.equal(kind.toLowerCase(), table);
  const values = Object.entries(row).map(([name, value]) =>
    name === 'spec' || name === 'status' ? JSON.stringify(value) : (value as unknown),
  );
  const columns = Object.keys(row);
  database
    .prepare(`insert into ${table} (${columns.join()}) values (${columns.map(() => '?').join()})`)
    .run(...values);
}

function tables(file: string): string[] {
  const database = new Sqlite(file, { readonly: true });
  const rows = database
    .prepare<[], { name: string }>(`select name from sqlite_schema where type = 'table'`)
    .all();
  database.close();
  assert.ok(rows.some(({ name }) => name === migrationTable));
  return rows.map(({ name }) => name);
}
