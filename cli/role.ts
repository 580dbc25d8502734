/** Roles, as people type them. */
import type { Role } from '../specs/account.ts';
import { usageError } from './errors.ts';
import { didYouMean } from './nearest.ts';

// Those of specs/account.ts, without loading its schema library.
const roles: readonly Role[] = ['Viewer', 'Operator', 'Admin'];

/** In any case. Throws a usage error that names the roles there are. */
export function roleNamed(word: string): Role {
  const found = roles.find((role) => role.toLowerCase() === word.toLowerCase());
  if (found !== undefined) return found;
  throw usageError(
    `There is no role "${word}".${didYouMean(word, roles)}`,
    `The roles are: ${roles.join(', ')}.`,
  );
}
