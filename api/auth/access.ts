/**
 * What a route may declare of who is let in, and the two checks that follow from it: by the token alone, before anything of
 * the request is read, and by the role in the project of the object that it names.
 */
import type { Role } from '../../specs/account.ts';
import { ProblemError } from '../../specs/problem.ts';
import { isLimited, type Principal } from './principal.ts';
import { reaches, roleIn, type Locator, type Scope } from './scope.ts';

/**
 * `public`: nobody needs a token. `any`: any of the three kinds. `bootstrap`, `session`: that kind only.
 * `user`: a token that belongs to a user and speaks for all of them: no limited one. `super-admin`: such a token of a
 * super-admin, or the bootstrap token. `holder`: a user's token, a limited one too. `ticket`: nothing but a ticket, which the route takes by itself. Or the least role in the project of the object that the request names.
 */
export type Access =
  | 'public'
  | 'any'
  | 'user'
  | 'holder'
  | 'session'
  | 'bootstrap'
  | 'super-admin'
  | 'ticket'
  | { role: Role; of: Locator };

/** Throws `forbidden` when no token of this kind may use the route. */
export function checkToken(principal: Principal, access: Access | undefined): void {
  if (!isAllowed(principal, access)) throw new ProblemError('forbidden', refusal(principal, access));
}

function isAllowed(principal: Principal, access: Access | undefined): boolean {
  switch (access) {
    case undefined:
    case 'ticket':
      return false;
    case 'public':
    case 'any':
      return true;
    case 'user':
      return principal.user !== null && !isLimited(principal);
    case 'holder':
      return principal.user !== null;
    case 'session':
    case 'bootstrap':
      return principal.kind === access;
    case 'super-admin':
      return principal.superAdmin;
    default:
      return true; // A role: decided once the object is known.
  }
}

/** Says what it takes: that is in the OpenAPI document as well. */
function refusal(principal: Principal, access: Access | undefined): string {
  if (access === 'bootstrap')
    return 'This takes the bootstrap token, which svc setup wrote to a file on the node.';
  if (access === 'session') return 'This takes a session token, of POST /v1/auth/login.';
  if (access === 'super-admin' && !principal.ownerIsSuperAdmin) return 'Only a super-admin may do that.';
  return isLimited(principal)
    ? 'This token is limited to a project or a role; that takes one without limits.'
    : 'This takes the token of a user.';
}

/**
 * Throws `not_found` when there is no such object or the caller is no member of its project: the same for both. Throws
 * `forbidden` for a member whose role is too low.
 */
export function checkRole(
  principal: Principal,
  { role: least, of }: Extract<Access, object>,
  scope: Scope | undefined,
): asserts scope is Scope {
  const role = scope && roleIn(principal, scope.project.id);
  if (!role) throw new ProblemError('not_found', `There is no such ${of.noun}.`);
  if (!reaches(role, least))
    throw new ProblemError('forbidden', `This takes the role ${least} in the project; yours is ${role}.`);
}
