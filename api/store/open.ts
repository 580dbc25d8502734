/** Opens a database and makes the store on it. Whatever is wrong with the file is found here, before anything relies on it. */
import { resolve } from 'node:path';
import { MikroORM, type MigrationObject } from '@mikro-orm/sqlite';
import { Migrator } from '@mikro-orm/migrations';
import type { Clock, Random } from '../../specs/clock.ts';
import { timestamp } from '../../specs/meta.ts';
import type { Accounts } from './accounts.ts';
import { openAccounts } from './accounts/open.ts';
import { auditOf, type Audit } from './audit.ts';
import { eventsOf, type Events } from './events.ts';
import { feedOf, type StoreLog } from './changes.ts';
import { connectSqlite, type Connection } from './connection.ts';
import { entities } from './entities.ts';
import { idempotencyOf, type Idempotency } from './idempotency.ts';
import { loginFailuresOf, type LoginFailures } from './login-failures.ts';
import { metaOf, type Meta } from './meta.ts';
import { migrate, migrationTable, readMigrations } from './migrate.ts';
import * as list from './migrations/list.ts';
import { resourceQueries } from './queries.ts';
import { readerOf } from './reader.ts';
import type { QueryBuilder, Schema } from './schema.ts';
import { isDamage } from './sqlite-failure.ts';
import { check, configure, damaged, makePrivate } from './sqlite-file.ts';
import type { Change, Store } from './store.ts';
import type { Vault } from './vault.ts';
import { openVault } from './vault/open.ts';
import { writerOf } from './writer.ts';

export interface StoreOptions {
  /** Path of the database, or `:memory:` for one that goes away. */
  file: string;
  clock: Clock;
  random: Random;
  log: StoreLog;
  /**
   * Node keys (32 bytes each) that secrets may be sealed under: the current one, and one that an interrupted rotation
   * has left. The newest that the database knows wins; `nodeKey` tells which.
   */
  nodeKeys: readonly Buffer[];
  /** Whether it is the right database: asked before anything is written into it but its schema. Throws when it is not. */
  accept?: (meta: Meta) => Promise<void>;
  /** Those of this program when absent. */
  migrations?: MigrationObject[];
}

export interface OpenStore extends Store {
  accounts: Accounts;
  vault: Vault;
  audit: Audit;
  events: Events;
  idempotency: Idempotency;
  loginFailures: LoginFailures;
  /** The node key that is in use now. */
  nodeKey: () => Buffer;
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
    return await storeOn(orm, connectSqlite(database, clock), options);
  } catch (error) {
    await orm.close();
    throw isDamage(error) ? damaged(file, error) : error;
  }
}

async function storeOn(
  orm: MikroORM,
  connection: Connection,
  { clock, random, log, nodeKeys, accept }: StoreOptions,
): Promise<OpenStore> {
  const db: QueryBuilder = orm.em.fork().getKysely<Schema>();
  const queries = resourceQueries(db);
  const feed = feedOf<Change>((err, { kind, id }) =>
    log.error({ err, kind, id }, 'a listener of the change feed failed'),
  );
  await accept?.(metaOf(connection, db));
  const { accounts, dropMembers } = openAccounts(connection, db, log);
  const { vault, sealing, nodeKey } = await openVault({ connection, db, nodeKeys, clock, random, log });

  const write: Store['write'] = (work, { lazy = false } = {}) => {
    const changes: Change[] = [];
    const effects: (() => void)[] = [];
    return connection.transaction(
      (session) => {
        const at = timestamp(clock.now());
        const seals = sealing.within(session, at, effects);
        return work(
          writerOf({
            ...{ session, queries, at, changes, seals },
            dropMembers: (projectId) => dropMembers(session, projectId, effects),
          }),
        );
      },
      {
        committed() {
          // Before anybody hears of the change: whoever acts on it must have its secrets masked.
          for (const effect of effects) effect();
          feed.publish(changes);
        },
        lazy,
      },
    );
  };

  return {
    ...readerOf(connection, queries),
    write,
    patchStatus: (kind, id, generation, patch, { durable = false } = {}) =>
      write((writer) => writer.patchStatus(kind, id, generation, patch), { lazy: !durable }),
    onChange: (listener) => feed.subscribe(listener),
    ...{ accounts, vault, nodeKey },
    audit: auditOf(connection, db),
    events: eventsOf(connection, db, clock, random),
    idempotency: idempotencyOf(connection, db, sealing),
    loginFailures: loginFailuresOf(connection, db),
    async close() {
      await connection.drain();
      await orm.close();
    },
  };
}
