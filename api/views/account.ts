/** Users and tokens as the API answers them: no hash ever leaves the store through here. */
import type { ApiToken, User } from '../../specs/account.ts';
import type { TokenRecord, UserRecord } from '../store/accounts.ts';

export function userView({ id, username, super_admin, created_at }: UserRecord): User {
  return { id, username, super_admin, created_at };
}

export function tokenView({ id, name, created_at, expires_at, last_used_at }: TokenRecord): ApiToken {
  return { id, name, created_at, expires_at, last_used_at };
}
