/** Failed logins in a row, so that a slow-down survives a restart. Keys are opaque here: hashes of names and addresses. */
import type { Connection } from './connection.ts';
import type { LoginFailureRow, QueryBuilder } from './schema.ts';
import type { Query } from './statements.ts';

export interface LoginFailure {
  failures: number;
  /** RFC 3339. */
  last_at: string;
}

export interface LoginFailures {
  get(keys: readonly string[]): Promise<Map<string, LoginFailure>>;
  /** Counts one more for each key. Lazy (see Store.write). */
  add(keys: readonly string[], at: string): Promise<void>;
  clear(keys: readonly string[]): Promise<void>;
  /** Drops what did not fail since `before` (RFC 3339). @returns how many */
  prune(before: string): Promise<number>;
}

export function loginFailuresOf(connection: Connection, db: QueryBuilder): LoginFailures {
  const run = (query: Query, options?: { lazy: boolean }) =>
    connection.transaction((session) => session.run(query), options);
  return {
    async get(keys) {
      if (keys.length === 0) return new Map();
      const query = db.selectFrom('login_failure').selectAll().where('key', 'in', keys).compile();
      const rows = (await connection.all(query)) as LoginFailureRow[];
      return new Map(rows.map(({ key, failures, last_at }) => [key, { failures, last_at }]));
    },
    async add(keys, at) {
      if (keys.length === 0) return;
      const rows = [...new Set(keys)].map((key) => ({ key, failures: 1, last_at: at }));
      const upsert = db.insertInto('login_failure').values(rows);
      const query = upsert.onConflict((conflict) =>
        conflict
          .column('key')
          .doUpdateSet((eb) => ({ failures: eb('login_failure.failures', '+', 1), last_at: at })),
      );
      await run(query.compile(), { lazy: true });
    },
    async clear(keys) {
      if (keys.length === 0) return;
      await run(db.deleteFrom('login_failure').where('key', 'in', keys).compile());
    },
    prune: (before) => run(db.deleteFrom('login_failure').where('last_at', '<', before).compile()),
  };
}
