/** A database file of SQLite: private, whole, and set up so that a commit stays. */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';

/** Makes the file if it is not there. It holds password hashes: nobody but its owner may read it. */
export function makePrivate(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // SQLite gives -wal and -shm the mode of the database.
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  syncDirectory(dirname(file));
}

/** Reads the whole file, because a flipped bit opens without complaint. Throws when it is damaged; changes nothing. */
export function check(database: Database, file: string): void {
  const found: unknown = database.pragma('quick_check(1)', { simple: true });
  if (found !== 'ok') throw damaged(file, new Error(String(found)));
}

export function damaged(file: string, cause: unknown): Error {
  const message =
    `${file} is damaged or not a database. Nothing was changed. Put a backup in its place ` +
    `(remove ${file}-wal and ${file}-shm with it) and start again.`;
  return new Error(message, { cause });
}

export function configure(database: Database): void {
  database.pragma('journal_mode = wal');
  // In WAL mode only `full` makes a commit survive a power cut.
  database.pragma('synchronous = full');
  // MikroORM turns them on; a migration that rebuilds a table would trip over them, and there are none.
  database.pragma('foreign_keys = off');
}

/** Makes the names in a directory survive a power cut. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  fsyncSync(directory);
  closeSync(directory);
}
