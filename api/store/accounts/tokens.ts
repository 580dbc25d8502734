/** Tokens of users, by their hashes. */
import { ProblemError } from '../../../specs/problem.ts';
import type { Accounts, TokenRecord } from '../accounts.ts';
import type { QueryBuilder } from '../schema.ts';
import type { Query } from '../statements.ts';
import type { AccountTables } from './tables.ts';

type Tokens = Pick<
  Accounts,
  'createToken' | 'findToken' | 'listTokens' | 'deleteToken' | 'touchToken' | 'deleteExpiredSessions'
>;

/** How exact `last_used_at` is, in milliseconds: a write for every request would be too many. */
const touchInterval = 60_000;

export function tokensOf({ connection, db, shrunk }: AccountTables): Tokens {
  const byHash = db.selectFrom('token').selectAll().where('hash', '=', '').compile().sql;
  const read = async (query: Query) => (await connection.all(query)) as TokenRecord[];

  /** Runs a query that answers whose tokens it removed. */
  async function remove(query: Query): Promise<number> {
    let owners: string[] = [];
    await connection.transaction(
      async (session) => {
        const removed = (await session.all(query)) as Pick<TokenRecord, 'user_id'>[];
        owners = removed.map(({ user_id }) => user_id);
      },
      { committed: () => shrunk([...new Set(owners)]) },
    );
    return owners.length;
  }

  return {
    async createToken(token, { ifUserVersion } = {}) {
      const insert = db.insertInto('token').values(token).compile();
      const same = db.selectFrom('user').select('id').where('id', '=', token.user_id);
      await connection.transaction(async (session) => {
        if (ifUserVersion !== undefined) {
          const users = await session.all(same.where('version', '=', ifUserVersion).compile());
          if (users.length === 0) {
            throw new ProblemError('conflict', 'The account was changed meanwhile. Log in again.');
          }
        }
        await session.run(insert);
      });
    },
    findToken: async (hash) => (await read({ sql: byHash, parameters: [hash] }))[0],
    listTokens(userId, kind, { limit, before } = {}) {
      let query = db.selectFrom('token').selectAll().where('user_id', '=', userId).where('kind', '=', kind);
      if (before !== undefined) query = query.where('id', '<', before);
      if (limit !== undefined) query = query.limit(limit);
      return read(query.orderBy('id', 'desc').compile());
    },
    async deleteToken(id) {
      await remove(db.deleteFrom('token').where('id', '=', id).returning('user_id').compile());
    },
    async touchToken(id, at) {
      await connection.transaction((session) => session.run(touch(db, id, at)), { lazy: true });
    },
    deleteExpiredSessions: (at, idleSince) => remove(expired(db, at, idleSince)),
  };
}

function touch(db: QueryBuilder, id: string, at: string): Query {
  const stale = new Date(Date.parse(at) - touchInterval).toISOString();
  return db
    .updateTable('token')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', stale)]))
    .compile();
}

/** A session that was never used lies idle since it was made. */
function expired(db: QueryBuilder, at: string, idleSince: string): Query {
  return db
    .deleteFrom('token')
    .where('kind', '=', 'session')
    .where((eb) =>
      eb.or([eb('expires_at', '<=', at), eb(eb.fn.coalesce('last_used_at', 'created_at'), '<=', idleSince)]),
    )
    .returning('user_id')
    .compile();
}
