/**
 * The one connection to the database: writes in turn, each in a transaction, and reads that never see half of one.
 *
 * Queries are built by MikroORM's query builder and run here as prepared statements. Hydrating entities through an
 * EntityManager costs 25 to 40 times as much per read, and the API reads twice for every request. A database server
 * gets another implementation of `Connection`; what builds queries does not know that this one is SQLite.
 */
import type { Database, Statement } from 'better-sqlite3';
import type { Clock } from '../../specs/clock.ts';
import { failureOf, isBusy } from './sqlite-failure.ts';
import { statementsOf, type Query, type Statements } from './statements.ts';
import { turns, type Turn } from './turns.ts';

export interface Session {
  /** The rows that a query answers, each an object of columns. */
  all(query: Query): Promise<unknown[]>;
}

export interface WriteSession extends Session {
  /** @returns how many rows were written. Throws NotUniqueError when a unique index refuses one. */
  run(query: Query): Promise<number>;
}

export interface Connection extends Session {
  /**
   * Runs `work` in a transaction of its own. Other transactions wait for it, and so do reads once it has begun.
   * Throws `unavailable` when the database cannot be written.
   */
  transaction<T>(work: (session: WriteSession) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Lets what is under way finish; what comes later is refused. Does not close the database. */
  drain(): Promise<void>;
}

export interface TransactionOptions {
  /** Called after the commit and before anything else runs. */
  committed?: () => void;
  /**
   * Whether a power cut may take it, and every lazy one after it, until the next that is not: the log is written in order
   * and brought to the disk as a whole.
   */
  lazy?: boolean;
}

/** How long a transaction waits for a lock of another process, and how often it asks, in milliseconds. */
const busyLimit = 5_000;
const busyPause = 50;

export function connectSqlite(database: Database, clock: Clock): Connection {
  const statements = statementsOf(database);
  const order = turns();
  const begin = database.prepare('begin immediate');
  const commit = database.prepare('commit');
  const rollback = database.prepare('rollback');

  async function run<T>(turn: Turn, work: (session: WriteSession) => Promise<T>): Promise<T> {
    await beginWhenFree(begin, clock);
    try {
      const result = await turn.run(() => work(sessionOf(turn, statements)));
      commit.run();
      return result;
    } catch (error) {
      // After some failures SQLite has rolled back by itself.
      if (database.inTransaction) rollback.run();
      throw failureOf(error);
    }
  }

  return {
    async all(query) {
      order.mayEnter();
      return database.inTransaction ? order.take(() => statements.all(query)) : statements.all(query);
    },
    transaction: (work, { committed, lazy = false } = {}) =>
      order.take(async (turn) => {
        // No statement: SQLite obeys it while it is compiled.
        if (lazy) database.pragma('synchronous = normal');
        try {
          const result = await run(turn, work);
          committed?.();
          return result;
        } finally {
          if (lazy) database.pragma('synchronous = full');
        }
      }),
    drain: () => order.end(),
  };
}

/** Waits for another process without holding up this one, as SQLite's own waiting would. */
async function beginWhenFree(begin: Statement, clock: Clock): Promise<void> {
  for (let waited = 0; ; waited += busyPause) {
    try {
      begin.run();
      return;
    } catch (error) {
      if (!isBusy(error) || waited >= busyLimit) throw failureOf(error);
    }
    await new Promise<void>((resolve) => void clock.after(busyPause, resolve));
  }
}

/** A session that ends with its turn: what was not waited for must not write into somebody else's transaction. */
function sessionOf(turn: Turn, statements: Statements): WriteSession {
  const whileOpen = <T>(work: () => T): Promise<T> =>
    new Promise((resolve) => {
      if (!turn.open) throw new Error('The transaction is over: await everything that write() does.');
      resolve(work());
    });
  return {
    all: (query) => whileOpen(() => statements.all(query)),
    run: (query) => whileOpen(() => statements.run(query)),
  };
}
