/** Which values of an environment are shown to whom. */
import type { Role } from '../../specs/account.ts';
import type { Environment } from '../../specs/workload.ts';
import { reaches } from '../auth/scope.ts';

/** What stands in the place of a value that the caller may not see. */
const redacted = '***';

/** @param role of who asks, in the project: values are shown from Operator on, names to everybody there */
export function visibleEnvironment(env: Environment, role: Role | undefined): Environment {
  if (role !== undefined && reaches(role, 'Operator')) return env;
  return Object.fromEntries(Object.keys(env).map((name) => [name, redacted]));
}
