/** What ends with a project: its memberships, and the tokens that reach nothing else. */
import type { WriteSession } from '../connection.ts';
import type { MemberRow, TokenRow } from '../schema.ts';
import type { AccountTables } from './tables.ts';

/** A part of the transaction that removes the project. @param effects collects what must be done after the commit */
export async function dropMembers(
  { db, shrunk }: AccountTables,
  session: WriteSession,
  projectId: string,
  effects: (() => void)[],
): Promise<void> {
  const members = db.deleteFrom('member').where('project_id', '=', projectId).returning('user_id');
  const tokens = db.deleteFrom('token').where('project_id', '=', projectId).returning('user_id');
  const removed = [...(await session.all(members.compile())), ...(await session.all(tokens.compile()))];
  const userIds = (removed as Pick<MemberRow | TokenRow, 'user_id'>[]).map(({ user_id }) => user_id);
  effects.push(() => shrunk([...new Set(userIds)]));
}
