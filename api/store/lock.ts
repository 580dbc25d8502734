/**
 * One node process per data directory. The lock is SQLite's on a file of its own: the kernel frees it when the process
 * dies, whatever it dies of. Nothing else may ever open that file in this process, not even to read it: closing any
 * handle of a file gives up all of the process's POSIX locks on it.
 */
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { isBusy } from './sqlite-failure.ts';

/**
 * Locks a data directory, which is made if it is not there. Throws an Error that names the process that has it.
 * @returns unlock
 */
export function lockDataDir(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // Beside the lock, because the locked file cannot be read by others.
  const pidFile = join(dataDir, 'lock.pid');
  const file = join(dataDir, 'lock.db');
  makePrivate(file);
  const database = new Sqlite(file, { timeout: 0 });
  try {
    database.pragma('locking_mode = exclusive');
    database.exec('begin exclusive');
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  } catch (cause) {
    database.close();
    const why = isBusy(cause)
      ? `is in use by ${holder(pidFile)}. Stop it first, or choose another --data-dir.`
      : 'cannot be locked. Give this user write access to it.';
    throw new Error(`${dataDir} ${why}`, { cause });
  }
  return () => {
    // Once only: the next pid in that file is somebody else's.
    if (!database.open) return;
    rmSync(pidFile, { force: true });
    database.close();
  };
}

/** Makes the file if it is not there; if it is, it is not opened. */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function holder(pidFile: string): string {
  try {
    return `process ${readFileSync(pidFile, 'utf8').trim()}`;
  } catch {
    return 'another process'; // It has only just taken the lock.
  }
}
