/** Prepared statements, kept by their text. There are few texts, because values are always parameters. */
import type { Database, Statement } from 'better-sqlite3';
import { failureOf } from './sqlite-failure.ts';

/** SQL with placeholders, and what fills them. */
export interface Query {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export interface Statements {
  /** The rows that a query answers, each an object of columns. */
  all(query: Query): unknown[];
  /** @returns how many rows were written */
  run(query: Query): number;
}

export function statementsOf(database: Database): Statements {
  const prepared = new Map<string, Statement>();

  function execute<T>({ sql, parameters }: Query, work: (statement: Statement, values: unknown[]) => T): T {
    try {
      const statement = prepared.get(sql) ?? database.prepare(sql);
      prepared.set(sql, statement);
      return work(statement, parameters.map(bound));
    } catch (error) {
      throw failureOf(error);
    }
  }

  return {
    all: (query) => execute(query, (statement, values) => statement.all(...values)),
    run: (query) => execute(query, (statement, values) => statement.run(...values).changes),
  };
}

/** SQLite has no booleans, and the driver refuses them. */
function bound(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : value;
}
