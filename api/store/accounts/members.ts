/** Who is a member of which project, and as what. A project that has an Admin never loses the last one. */
import { roles, type Role } from '../../../specs/account.ts';
import { ProblemError } from '../../../specs/problem.ts';
import type { Accounts, MemberRecord } from '../accounts.ts';
import type { Session, WriteSession } from '../connection.ts';
import type { QueryBuilder } from '../schema.ts';
import type { Query } from '../statements.ts';
import type { AccountTables } from './tables.ts';

type Members = Pick<Accounts, 'membershipsOf' | 'listMembers' | 'getMember' | 'putMember' | 'removeMember'>;
type Wanted = Parameters<Accounts['putMember']>[0];

export function membersOf({ connection, db, shrunk }: AccountTables): Members {
  const ofUser = db.selectFrom('member').selectAll().where('user_id', '=', '').compile().sql;
  return {
    membershipsOf: async (userId) =>
      (await connection.all({ sql: ofUser, parameters: [userId] })) as MemberRecord[],
    async listMembers(projectId, { limit, before } = {}) {
      let query = db
        .selectFrom('member')
        .innerJoin('user', 'user.id', 'member.user_id')
        .selectAll('member')
        .select('user.username')
        .where('project_id', '=', projectId);
      if (before !== undefined) query = query.where('user_id', '<', before);
      if (limit !== undefined) query = query.limit(limit);
      const rows = await connection.all(query.orderBy('user_id', 'desc').compile());
      return rows as (MemberRecord & { username: string })[];
    },
    getMember: (projectId, userId) => get(connection, db, projectId, userId),
    putMember(wanted) {
      let lowered = false;
      return connection.transaction(
        async (session) => {
          const before = await get(session, db, wanted.project_id, wanted.user_id);
          if (!before) return { member: await add(session, db, wanted), created: true };
          lowered = rank(wanted.role) < rank(before.role);
          if (lowered) await requireOtherAdmin(session, db, before);
          return { member: await change(session, db, before, wanted), created: false };
        },
        { committed: () => lowered && shrunk([wanted.user_id]) },
      );
    },
    removeMember: (projectId, userId) =>
      connection.transaction(
        async (session) => {
          const member = await get(session, db, projectId, userId);
          if (!member) throw new ProblemError('not_found', 'There is no such member.');
          await requireOtherAdmin(session, db, member);
          await session.run(remove(db, member));
        },
        { committed: () => shrunk([userId]) },
      ),
  };
}

async function get(
  session: Session,
  db: QueryBuilder,
  projectId: string,
  userId: string,
): Promise<MemberRecord | undefined> {
  const query = db.selectFrom('member').selectAll().where('project_id', '=', projectId);
  const rows = await session.all(query.where('user_id', '=', userId).compile());
  return (rows as MemberRecord[])[0];
}

async function add(
  session: WriteSession,
  db: QueryBuilder,
  { at, ...fields }: Wanted,
): Promise<MemberRecord> {
  // Deleting a user takes the memberships along: one that comes after it would stay for ever.
  const user = db.selectFrom('user').select('id').where('id', '=', fields.user_id);
  if ((await session.all(user.compile())).length === 0) {
    throw new ProblemError('not_found', 'There is no such user.');
  }
  const member = { ...fields, created_at: at, updated_at: at };
  await session.run(db.insertInto('member').values(member).compile());
  return member;
}

async function change(
  session: WriteSession,
  db: QueryBuilder,
  before: MemberRecord,
  { role, at }: Wanted,
): Promise<MemberRecord> {
  if (role === before.role) return before;
  const update = db.updateTable('member').set({ role, updated_at: at });
  const { project_id, user_id } = before;
  await session.run(update.where('project_id', '=', project_id).where('user_id', '=', user_id).compile());
  return { ...before, role, updated_at: at };
}

function remove(db: QueryBuilder, { project_id, user_id }: MemberRecord): Query {
  return db
    .deleteFrom('member')
    .where('project_id', '=', project_id)
    .where('user_id', '=', user_id)
    .compile();
}

function rank(role: Role): number {
  return roles.indexOf(role);
}

async function requireOtherAdmin(
  session: Session,
  db: QueryBuilder,
  { project_id, user_id, role }: MemberRecord,
): Promise<void> {
  if (role !== 'Admin') return;
  const admins = db.selectFrom('member').select('user_id').where('project_id', '=', project_id);
  const others = admins.where('role', '=', 'Admin').where('user_id', '!=', user_id).limit(1);
  if ((await session.all(others.compile())).length > 0) return;
  throw new ProblemError('conflict', 'This is the last Admin of the project. Make another member one first.');
}
