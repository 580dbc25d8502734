/** What is stored of a new user. */
import { timestamp } from '../../specs/meta.ts';
import type { CreateUser } from '../../specs/account.ts';
import { requireGoodPassword } from '../auth/password-rules.ts';
import type { ApiContext } from '../context.ts';
import type { UserRecord } from '../store/accounts.ts';

/** Throws `invalid` when the password breaks a rule. */
export async function newUser(
  { passwords, clock, newId }: Pick<ApiContext, 'passwords' | 'clock' | 'newId'>,
  { username, password, super_admin = false }: CreateUser,
): Promise<UserRecord> {
  await requireGoodPassword(password, username);
  const password_hash = await passwords.hash(password);
  const at = timestamp(clock.now());
  const identity = { id: newId('user'), username, password_hash, super_admin };
  return { ...identity, version: 1, created_at: at, updated_at: at };
}
