/**
 * Brings a database to the schema of this program: in one transaction, after a copy was put aside. Refuses a database
 * that is not ours, or that a newer program has been at.
 */
import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { MikroORM } from '@mikro-orm/sqlite';
import type { Database } from 'better-sqlite3';
import type { Clock } from '../../specs/clock.ts';
import { timestamp } from '../../specs/meta.ts';
import type { StoreLog } from './changes.ts';
import { syncDirectory } from './sqlite-file.ts';

/** The table in which MikroORM notes what it has run. */
export const migrationTable = 'migration';

export interface Migrations {
  /** Names of those that have been run, oldest first; none for a new database. */
  done: string[];
  pending: string[];
}

/**
 * What there is to do. Changes nothing.
 * @param known the migrations of this program, oldest first
 * Throws an Error that says what to do when the database is of another program or of a newer version.
 */
export function readMigrations(database: Database, file: string, known: readonly string[]): Migrations {
  const done = executed(database, file);
  const unknown = done.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(
      `${file} has schema version ${String(unknown.at(-1))} of a newer svc; this one knows up to ${String(known.at(-1))}. ` +
        `Start the newer svc, or restore the copy that it made in ${backupDir(file)} before it changed the database.`,
    );
  }
  return { done, pending: known.filter((name) => !done.includes(name)) };
}

export interface MigrateDeps {
  orm: MikroORM;
  database: Database;
  /** Path of the database, or `:memory:`. */
  file: string;
  clock: Clock;
  log: StoreLog;
}

/** Runs what is pending, all of it or nothing. */
export async function migrate({ done, pending }: Migrations, deps: MigrateDeps): Promise<void> {
  const { orm, database, file, clock, log } = deps;
  if (pending.length === 0) return;
  if (done.length > 0) {
    const copy = backUp(
      database,
      file,
      `${String(done.at(-1))}-${timestamp(clock.now()).replaceAll(/\D/g, '')}`,
    );
    log.info({ copy, pending }, 'the database was copied before it is migrated');
  }
  await orm.migrator.up();
  log.info({ file, pending }, 'the database was migrated');
}

function executed(database: Database, file: string): string[] {
  const tables = database
    .prepare<[], { name: string }>(`select name from sqlite_schema where type = 'table'`)
    .all();
  if (tables.some(({ name }) => name === migrationTable)) {
    return database
      .prepare<[], { name: string }>(`select name from ${migrationTable} order by id`)
      .all()
      .map(({ name }) => name);
  }
  if (tables.length === 0) return [];
  throw new Error(
    `${file} is a database of another program. Set SERVICE_DATABASE_URL to a file that svc may have for itself.`,
  );
}

function backupDir(file: string): string {
  return join(dirname(file), 'backups');
}

/** Writes a copy that is complete and on disk when this returns. @returns its path */
function backUp(database: Database, file: string, label: string): string {
  const copy = join(backupDir(file), `${basename(file)}.${label}`);
  mkdirSync(backupDir(file), { recursive: true, mode: 0o700 });
  // SQLite writes into an empty file that is there, so that the copy is never readable by others.
  closeSync(openSync(copy, 'wx', 0o600));
  database.prepare('vacuum into ?').run(copy);
  const handle = openSync(copy, 'r');
  fsyncSync(handle);
  closeSync(handle);
  syncDirectory(backupDir(file));
  return copy;
}
