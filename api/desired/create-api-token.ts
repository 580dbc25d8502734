/** Mints an API token for the user who asks: never more than they are, never longer than the token they ask with. */
import type { FastifyRequest } from 'fastify';
import { roles, type CreateApiToken } from '../../specs/account.ts';
import { timestamp } from '../../specs/meta.ts';
import { ProblemError, type Violation } from '../../specs/problem.ts';
import { principalOf, userOf, type Principal } from '../auth/principal.ts';
import { findProject, reaches, roleIn } from '../auth/scope.ts';
import { mintToken } from '../auth/tokens.ts';
import type { ApiContext } from '../context.ts';
import type { TokenRecord } from '../store/accounts.ts';
import { invalid } from '../validation.ts';

type Deps = Pick<ApiContext, 'accounts' | 'store' | 'clock' | 'random' | 'newId'>;

/**
 * Throws `not_found` for a project that the user does not reach, `invalid` for what is wrong with the rest.
 * @returns the token, to be shown once, and what is stored of it
 */
export async function createApiToken(
  deps: Deps,
  request: FastifyRequest,
  body: CreateApiToken,
): Promise<{ token: string; record: TokenRecord }> {
  const { accounts, clock, random, newId } = deps;
  const now = clock.now();
  const principal = principalOf(request);
  const user = userOf(request);
  const project_id = await limitedTo(deps, principal, body);
  const parent = principal.kind === 'api' ? (principal.token?.expires_at ?? null) : null;
  const violations = [...expiryViolations(body, now, parent), ...roleViolations(body, principal, project_id)];
  if (violations.length > 0) throw invalid(violations);

  const { token, hash } = mintToken('api', random);
  const record: TokenRecord = {
    ...({ id: newId('token'), kind: 'api', user_id: user.id, name: body.name, hash } as const),
    ...{ project_id, role: body.role ?? null, created_at: timestamp(now), last_used_at: null },
    expires_at: body.expires_at === undefined ? parent : timestamp(Date.parse(body.expires_at)),
  };
  // Whoever lost the account since this began gets no token out of it.
  await accounts.createToken(record, { ifUserVersion: user.version });
  return { token, record };
}

/** Id of the project that the body names. The same refusal for one that is not there and one that is not theirs. */
async function limitedTo({ store }: Deps, principal: Principal, { project }: CreateApiToken) {
  if (project === undefined) return null;
  const found = await findProject(store, project);
  if (!found || roleIn(principal, found.id) === undefined)
    throw new ProblemError('not_found', 'There is no such project.');
  return found.id;
}

function expiryViolations({ expires_at }: CreateApiToken, now: number, parent: string | null): Violation[] {
  if (expires_at === undefined) return [];
  const at = Date.parse(expires_at);
  const path = '/expires_at';
  if (at <= now) return [{ path, message: 'is in the past' }];
  if (parent !== null && at > Date.parse(parent))
    return [{ path, message: `is later than ${parent}, when the token that asks for it expires` }];
  return [];
}

function roleViolations(
  { role }: CreateApiToken,
  principal: Principal,
  projectId: string | null,
): Violation[] {
  const own = projectId === null ? undefined : roleIn(principal, projectId);
  if (role === undefined || own === undefined || reaches(own, role)) return [];
  const allowed = roles.slice(0, roles.indexOf(own) + 1).join(' or ');
  return [{ path: '/role', message: `is more than your own role there: write ${allowed}` }];
}
