/** Users: unique by name, and never without a super-admin once there was one. */
import { ProblemError } from '../../../specs/problem.ts';
import type { Accounts, Page, Revocation, UserRecord } from '../accounts.ts';
import type { Session, WriteSession } from '../connection.ts';
import type { QueryBuilder, UserRow } from '../schema.ts';
import { NotUniqueError } from '../sqlite-failure.ts';
import type { Query } from '../statements.ts';
import type { AccountTables } from './tables.ts';

type Users = Pick<
  Accounts,
  | 'countUsers'
  | 'createFirstUser'
  | 'createUser'
  | 'getUser'
  | 'findUser'
  | 'listUsers'
  | 'updateUser'
  | 'rehash'
  | 'deleteUser'
>;

export function usersOf({ connection, db, shrunk }: AccountTables): Users {
  const byId = db.selectFrom('user').selectAll().where('id', '=', '').compile().sql;
  const get = async (session: Session, id: string) =>
    (await read(session, { sql: byId, parameters: [id] }))[0];

  return {
    countUsers: () => count(connection, db),
    createFirstUser: (user) =>
      connection.transaction(async (session) => {
        if ((await count(session, db)) > 0) return false;
        await insert(session, db, user);
        return true;
      }),
    createUser: (user) => connection.transaction((session) => insert(session, db, user)),
    getUser: (id) => get(connection, id),
    findUser: async (username) =>
      (
        await read(connection, db.selectFrom('user').selectAll().where('username', '=', username).compile())
      )[0],
    listUsers: (page) => read(connection, listQuery(db, page)),
    updateUser(id, change, { at, ifVersion, revoke }) {
      let hasShrunk = false;
      return connection.transaction(
        async (session) => {
          const before = unchanged(await get(session, id), ifVersion);
          const demoted = before.super_admin && change.super_admin === false;
          if (demoted) await requireOtherSuperAdmin(session, db, before);
          const after = { ...before, ...change, version: before.version + 1, updated_at: at };
          const { password_hash, super_admin, version, updated_at } = after;
          const update = db.updateTable('user').set({ password_hash, super_admin, version, updated_at });
          await session.run(update.where('id', '=', id).compile());
          if (revoke) await session.run(revocation(db, id, revoke));
          hasShrunk = demoted || revoke !== undefined;
          return after;
        },
        { committed: () => hasShrunk && shrunk([id]) },
      );
    },
    async rehash(id, from, to) {
      const update = db.updateTable('user').set({ password_hash: to });
      const query = update.where('id', '=', id).where('password_hash', '=', from).compile();
      // The old hash is as good, and the next login makes the new one again.
      await connection.transaction((session) => session.run(query), { lazy: true });
    },
    deleteUser: (id, { ifVersion } = {}) =>
      connection.transaction(
        async (session) => {
          const user = unchanged(await get(session, id), ifVersion);
          if (user.super_admin) await requireOtherSuperAdmin(session, db, user);
          await session.run(db.deleteFrom('token').where('user_id', '=', id).compile());
          await session.run(db.deleteFrom('member').where('user_id', '=', id).compile());
          await session.run(db.deleteFrom('user').where('id', '=', id).compile());
        },
        { committed: () => shrunk([id]) },
      ),
  };
}

async function read(session: Session, query: Query): Promise<UserRecord[]> {
  const rows = (await session.all(query)) as UserRow[];
  return rows.map((row) => ({ ...row, super_admin: Boolean(row.super_admin) }));
}

async function count(session: Session, db: QueryBuilder): Promise<number> {
  const query = db.selectFrom('user').select((eb) => eb.fn.countAll<number>().as('n'));
  return ((await session.all(query.compile())) as { n: number }[])[0]?.n ?? 0;
}

async function insert(session: WriteSession, db: QueryBuilder, user: UserRecord): Promise<void> {
  await session.run(db.insertInto('user').values(user).compile()).catch((error: unknown) => {
    if (!(error instanceof NotUniqueError)) throw error;
    throw new ProblemError('conflict', `There is a user named ${user.username} already.`, { cause: error });
  });
}

function listQuery(db: QueryBuilder, { limit, before }: Page = {}): Query {
  let query = db.selectFrom('user').selectAll().orderBy('id', 'desc');
  if (before !== undefined) query = query.where('id', '<', before);
  if (limit !== undefined) query = query.limit(limit);
  return query.compile();
}

/** The user, if it is there and as whoever writes has seen it. */
function unchanged(user: UserRecord | undefined, ifVersion: number | undefined): UserRecord {
  if (!user) throw new ProblemError('not_found', 'There is no such user.');
  if (ifVersion !== undefined && ifVersion !== user.version) {
    throw new ProblemError('precondition_failed', 'The user was changed meanwhile. Read it again.');
  }
  return user;
}

async function requireOtherSuperAdmin(
  session: Session,
  db: QueryBuilder,
  { id, username }: UserRecord,
): Promise<void> {
  const others = db.selectFrom('user').select('id').where('super_admin', '=', true).where('id', '!=', id);
  if ((await session.all(others.limit(1).compile())).length > 0) return;
  throw new ProblemError(
    'conflict',
    `${username} is the last super-admin, and nobody could manage this node. Make another user one first.`,
  );
}

function revocation(db: QueryBuilder, userId: string, { kinds, except }: Revocation): Query {
  let query = db.deleteFrom('token').where('user_id', '=', userId);
  if (kinds === 'sessions') query = query.where('kind', '=', 'session');
  if (except !== undefined) query = query.where('id', '!=', except);
  return query.compile();
}
