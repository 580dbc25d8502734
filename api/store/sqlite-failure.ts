/** SQLite's errors in the terms of the store. Only connection.ts and open.ts see the originals. */
import Sqlite from 'better-sqlite3';
import { ProblemError } from '../../specs/problem.ts';

/** A unique index refused a row. Whoever writes knows what that means. */
export class NotUniqueError extends Error {
  override readonly name = 'NotUniqueError';
}

/** The primary code of an extended one: SQLITE_BUSY of SQLITE_BUSY_SNAPSHOT. */
function primaryCode(error: unknown): string | undefined {
  return error instanceof Sqlite.SqliteError ? error.code.split('_').slice(0, 2).join('_') : undefined;
}

/** Whether another process holds the lock that was asked for. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === 'SQLITE_BUSY' || code === 'SQLITE_LOCKED';
}

/** Whether the bytes of the file are to blame. */
export function isDamage(error: unknown): boolean {
  const code = primaryCode(error);
  return code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT' || code === 'SQLITE_FORMAT';
}

const sentences: Record<string, string> = {
  SQLITE_BUSY: 'Another process holds the database. Close whatever has it open, and try again.',
  SQLITE_FULL: 'The disk of the database is full. Free some space, and try again.',
  SQLITE_IOERR: 'The disk of the database fails. Look at the log of the machine before going on.',
  SQLITE_READONLY: 'The database may not be written. Give the node write access to its data directory.',
  SQLITE_CORRUPT: 'The database is damaged. Stop the node and restore a backup.',
};

/** Seconds after which a client may try again. */
const retryAfter = 5;

/** What to throw instead of an error of the driver; any other error is given back as it is. */
export function failureOf(error: unknown): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
  if (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    return new NotUniqueError(error.message, { cause: error });
  }
  const sentence = sentences[primaryCode(error) ?? ''];
  return sentence === undefined
    ? error
    : new ProblemError('unavailable', sentence, { cause: error, retryAfter });
}
