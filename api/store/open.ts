/** Opens a database and makes the store on it. Whatever is wrong with the file is found here, before anything relies on it. */
import { resolve } from 'node:path';
import { MikroORM, type MigrationObject } from '@mikro-orm/sqlite';
import { Migrator } from '@mikro-orm/migrations';
import type { Clock } from '../../specs/clock.ts';
import { timestamp } from '../../specs/meta.ts';
import { accountsOf, type Accounts } from './accounts.ts';
import { changeFeed, type StoreLog } from './changes.ts';
import { connectSqlite, type Connection } from './connection.ts';
import { entities } from './entities.ts';
import { metaOf, type Meta } from './meta.ts';
import { migrate, migrationTable, readMigrations } from './migrate.ts';
import * as list from './migrations/list.ts';
import { resourceQueries } from './queries.ts';
import { readerOf } from './reader.ts';
import type { QueryBuilder, Schema } from './schema.ts';
import { isDamage } from './sqlite-failure.ts';
import { check, configure, damaged, makePrivate } from './sqlite-file.ts';
import type { Change, Store } from './store.ts';
import { writerOf } from './writer.ts';

export interface StoreOptions {
  /** Path of the database, or `:memory:` for one that goes away. */
  file: string;
  clock: Clock;
  log: StoreLog;
  /** Those of this program when absent. */
  migrations?: MigrationObject[];
}

export interface OpenStore extends Store {
  accounts: Accounts;
  meta: Meta;
  /** Lets what is under way finish and closes the database. */
  close(): Promise<void>;
}

/** Milliseconds that opening waits for a lock of another process. */
const openTimeout = 5_000;
/** The same for each statement later on: short, because it holds up the whole process. Writers wait in connection.ts. */
const statementTimeout = 20;

/**
 * Opens the database, which is made if it is not there, and migrates it. Throws an Error that names the file and says
 * what to do when it is damaged, not a database, somebody else's, or of a newer version.
 */
export async function openStore(options: StoreOptions): Promise<OpenStore> {
  const { file: path, clock, log, migrations = list.migrations } = options;
  const file = path === ':memory:' ? path : resolve(path);
  if (file !== ':memory:') makePrivate(file);
  const names = migrations.map(({ name }) => name);
  const orm = new MikroORM({
    entities,
    dbName: file,
    extensions: [Migrator],
    migrations: { tableName: migrationTable, migrationsList: migrations, snapshot: false, silent: true },
    driverOptions: { timeout: openTimeout },
  });
  try {
    const database = await orm.em.getConnection().getNativeClient();
    check(database, file);
    const todo = readMigrations(database, file, names);
    configure(database);
    await migrate(todo, { orm, database, file, clock, log });
    database.pragma(`busy_timeout = ${statementTimeout}`);
    return storeOn(orm, connectSqlite(database, clock), clock, log);
  } catch (error) {
    await orm.close();
    throw isDamage(error) ? damaged(file, error) : error;
  }
}

function storeOn(orm: MikroORM, connection: Connection, clock: Clock, log: StoreLog): OpenStore {
  const db: QueryBuilder = orm.em.fork().getKysely<Schema>();
  const queries = resourceQueries(db);
  const feed = changeFeed(log);
  const reader = readerOf(connection, queries);

  const write: Store['write'] = (work, { lazy = false } = {}) => {
    const changes: Change[] = [];
    return connection.transaction(
      (session) => work(writerOf({ session, queries, at: timestamp(clock.now()), changes })),
      { committed: () => feed.publish(changes), lazy },
    );
  };

  return {
    ...reader,
    write,
    patchStatus: (kind, id, generation, patch, { durable = false } = {}) =>
      write((writer) => writer.patchStatus(kind, id, generation, patch), { lazy: !durable }),
    onChange: (listener) => feed.onChange(listener),
    accounts: accountsOf(connection, db),
    meta: metaOf(connection, db),
    async close() {
      await connection.drain();
      await orm.close();
    },
  };
}
