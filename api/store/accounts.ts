/** Users and their tokens. Secrets come here hashed and leave here only to be compared. */
import type { UserRow, TokenRow, QueryBuilder } from './schema.ts';
import type { Connection, Session, WriteSession } from './connection.ts';
import { NotUniqueError } from './sqlite-failure.ts';
import type { Query } from './statements.ts';
import { ProblemError } from '../../specs/problem.ts';

export type UserRecord = Omit<UserRow, 'super_admin'> & { super_admin: boolean };
/** `hash` is the SHA-256 of the token in hexadecimal. Times are RFC 3339; `expires_at` null means never. */
export type TokenRecord = TokenRow;

export interface Accounts {
  countUsers(): Promise<number>;
  /** Adds a user if there is none at all, atomically. @returns whether it did */
  createFirstUser(user: UserRecord): Promise<boolean>;
  /** Throws ProblemError `conflict` when the username is taken. */
  createUser(user: UserRecord): Promise<void>;
  getUser(id: string): Promise<UserRecord | undefined>;
  findUser(username: string): Promise<UserRecord | undefined>;
  createToken(token: TokenRecord): Promise<void>;
  /** Expired ones too: whether a token is still good is the caller's to say. */
  findToken(hash: string): Promise<TokenRecord | undefined>;
  /** Newest first. */
  listTokens(userId: string, kind: TokenRecord['kind']): Promise<TokenRecord[]>;
  /** Does nothing if it is gone. */
  deleteToken(id: string): Promise<void>;
  /** Notes that a token was used. Writes nothing if a use less than a minute before `at` (RFC 3339) is noted. */
  touchToken(id: string, at: string): Promise<void>;
  /** Removes the sessions that had expired at that time (RFC 3339). @returns how many */
  deleteExpiredSessions(at: string): Promise<number>;
}

/** How exact `last_used_at` is, in milliseconds: a write for every request would be too many. */
const touchInterval = 60_000;

export function accountsOf(connection: Connection, db: QueryBuilder): Accounts {
  const queries = accountQueries(db);
  const users = async (session: Session, query: Query) =>
    ((await session.all(query)) as UserRow[]).map(decodeUser);
  const tokens = async (query: Query) => (await connection.all(query)) as TokenRow[];
  const run = (query: Query) => connection.transaction((session) => session.run(query));
  const count = async (session: Session) =>
    Number(((await session.all(queries.countUsers)) as { n: number }[])[0]?.n);

  async function insertUser(session: WriteSession, user: UserRecord): Promise<void> {
    await session.run(db.insertInto('user').values(user).compile()).catch((error: unknown) => {
      if (!(error instanceof NotUniqueError)) throw error;
      throw new ProblemError('conflict', `There is a user named ${user.username} already.`, { cause: error });
    });
  }

  return {
    countUsers: () => count(connection),
    createFirstUser: (user) =>
      connection.transaction(async (session) => {
        if ((await count(session)) > 0) return false;
        await insertUser(session, user);
        return true;
      }),
    createUser: (user) => connection.transaction((session) => insertUser(session, user)),
    getUser: async (id) => (await users(connection, queries.userById(id)))[0],
    findUser: async (username) => (await users(connection, queries.userByName(username)))[0],
    async createToken(token) {
      await run(db.insertInto('token').values(token).compile());
    },
    findToken: async (hash) => (await tokens(queries.tokenByHash(hash)))[0],
    listTokens(userId, kind) {
      const owned = db.selectFrom('token').selectAll().where('user_id', '=', userId).where('kind', '=', kind);
      return tokens(owned.orderBy('id', 'desc').compile());
    },
    async deleteToken(id) {
      await run(db.deleteFrom('token').where('id', '=', id).compile());
    },
    async touchToken(id, at) {
      const stale = new Date(Date.parse(at) - touchInterval).toISOString();
      const query = db
        .updateTable('token')
        .set({ last_used_at: at })
        .where('id', '=', id)
        .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', stale)]));
      await run(query.compile());
    },
    deleteExpiredSessions: (at) =>
      run(db.deleteFrom('token').where('kind', '=', 'session').where('expires_at', '<=', at).compile()),
  };
}

/** The queries of every request, made once. */
function accountQueries(db: QueryBuilder) {
  const user = db.selectFrom('user').selectAll();
  const byId = user.where('id', '=', '').compile().sql;
  const byName = user.where('username', '=', '').compile().sql;
  const byHash = db.selectFrom('token').selectAll().where('hash', '=', '').compile().sql;
  return {
    countUsers: db
      .selectFrom('user')
      .select((eb) => eb.fn.countAll().as('n'))
      .compile() as Query,
    userById: (id: string): Query => ({ sql: byId, parameters: [id] }),
    userByName: (username: string): Query => ({ sql: byName, parameters: [username] }),
    tokenByHash: (hash: string): Query => ({ sql: byHash, parameters: [hash] }),
  };
}

function decodeUser(row: UserRow): UserRecord {
  return { ...row, super_admin: Boolean(row.super_admin) };
}
