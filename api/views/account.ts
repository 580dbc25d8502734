/** Users, members and tokens as the API answers them: no hash ever leaves the store through here. */
import type { ApiToken, Member, User } from '../../specs/account.ts';
import type { Row } from '../../specs/index.ts';
import type { MemberRecord, TokenRecord, UserRecord } from '../store/accounts.ts';
import type { Reader } from '../store/store.ts';

export function userView({ id, username, super_admin, created_at, updated_at }: UserRecord): User {
  return { id, username, super_admin, created_at, updated_at };
}

export function memberView(
  { user_id, role, created_at, updated_at }: MemberRecord,
  username: string,
  project: Row<'Project'>,
): Member {
  const place = { project: project.name, project_id: project.id };
  return { user_id, username, ...place, role, created_at, updated_at };
}

/** Reads the name of the project that the token is limited to. It keeps its limit, and shows its id, when that is gone. */
export async function readTokenView(reader: Reader, token: TokenRecord): Promise<ApiToken> {
  const { id, name, role, created_at, expires_at, last_used_at, project_id } = token;
  const project =
    project_id === null ? null : ((await reader.get('Project', project_id))?.name ?? project_id);
  return { id, name, project, role, created_at, expires_at, last_used_at };
}
