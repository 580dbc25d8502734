/** Users as paths name them. */
import { isId } from '../../specs/meta.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { Accounts, UserRecord } from '../store/accounts.ts';

/** By id or username; no username looks like an id (specs/account.ts). Throws `not_found`. */
export async function findUser(
  accounts: Pick<Accounts, 'getUser' | 'findUser'>,
  idOrUsername: string,
): Promise<UserRecord> {
  const user = isId('user', idOrUsername)
    ? await accounts.getUser(idOrUsername)
    : await accounts.findUser(idOrUsername);
  if (!user)
    throw new ProblemError('not_found', `There is no user "${idOrUsername}": a super-admin makes one.`);
  return user;
}
