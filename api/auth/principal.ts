/** From a token to who is asking. The one place that knows all three kinds of tokens. */
import type { FastifyRequest } from 'fastify';
import { ProblemError } from '../../specs/problem.ts';
import type { Role } from '../../specs/account.ts';
import { timestamp } from '../../specs/meta.ts';
import type { Clock, Random } from '../../specs/clock.ts';
import type { ApiSettings } from '../context.ts';
import type { Accounts, TokenRecord, UserRecord } from '../store/accounts.ts';
import { bootstrapTokenVerifier } from './bootstrap-token.ts';
import { hashToken, type TokenKind } from './tokens.ts';

/** Who is asking. What they may do in a project is roleIn's to say (scope.ts). */
export interface Principal {
  kind: 'bootstrap' | TokenKind;
  /** Null for the bootstrap token, which is nobody's. */
  user: UserRecord | null;
  /** Null for the bootstrap token, which is stored nowhere. */
  token: TokenRecord | null;
  tokenId: string | null;
  /** Whether this token has the rights of a super-admin. Never of a limited one. */
  superAdmin: boolean;
  ownerIsSuperAdmin: boolean;
  /** The only project (by id) and the highest role of a limited token. */
  limits: { project: string | null; role: Role | null };
  /** Project id → role of the user. */
  memberships: ReadonlyMap<string, Role>;
}

/** Throws `unauthenticated`, always the same, unless the token is valid now. */
export type ResolvePrincipal = (token: string) => Promise<Principal>;

const bootstrapPrincipal: Principal = {
  ...{ kind: 'bootstrap', user: null, token: null, tokenId: null },
  ...{ superAdmin: true, ownerIsSuperAdmin: true },
  ...{ limits: { project: null, role: null }, memberships: new Map() },
};

/** How exact `last_used_at` is: a transaction for every request would be too many. */
const touchMs = 60_000;

export interface PrincipalDeps {
  accounts: Accounts;
  clock: Clock;
  random: Random;
  nodeKey: () => Buffer;
  settings: Pick<ApiSettings, 'sessionIdleMs'>;
}

/** Rights are read anew for every request, so that taking them away acts at once. */
export function principalResolver(deps: PrincipalDeps): ResolvePrincipal {
  const { accounts, clock, random, nodeKey, settings } = deps;
  const isBootstrap = bootstrapTokenVerifier(nodeKey, random);
  return async (secret) => {
    // Looked up even when there is no token, or a bootstrap token, so that all refusals take the same time.
    const bootstrap = isBootstrap(secret);
    const token = await accounts.findToken(hashToken(secret));
    if (bootstrap) return bootstrapPrincipal;
    const now = clock.now();
    if (!token || hasExpired(token, now, settings.sessionIdleMs)) throw unauthenticated();
    const user = await accounts.getUser(token.user_id);
    if (!user) throw unauthenticated();
    const members = await accounts.membershipsOf(user.id);
    if (token.last_used_at === null || now - Date.parse(token.last_used_at) >= touchMs) {
      await accounts.touchToken(token.id, timestamp(now));
    }
    return principalFor(user, token, new Map(members.map(({ project_id, role }) => [project_id, role])));
  };
}

function principalFor(user: UserRecord, token: TokenRecord, memberships: Map<string, Role>): Principal {
  const { kind, id: tokenId, project_id: project, role } = token;
  return {
    ...{ kind, user, token, tokenId, memberships, limits: { project, role } },
    superAdmin: user.super_admin && project === null && role === null,
    ownerIsSuperAdmin: user.super_admin,
  };
}

/** Every token by its own time; a session also when it was not used for so long. */
function hasExpired({ kind, expires_at, last_used_at, created_at }: TokenRecord, now: number, idle: number) {
  if (expires_at !== null && Date.parse(expires_at) <= now) return true;
  return kind === 'session' && Date.parse(last_used_at ?? created_at) + idle <= now;
}

/** When its token expires by itself, in milliseconds since the epoch; Infinity for one that does not. */
export function expiryOf({ token }: Principal): number {
  const expires = token?.expires_at ?? null;
  return expires === null ? Infinity : Date.parse(expires);
}

export function isLimited({ limits }: Principal): boolean {
  return limits.project !== null || limits.role !== null;
}

function unauthenticated(): ProblemError {
  return new ProblemError(
    'unauthenticated',
    'The token is missing, unknown, expired or revoked: a valid one goes into Authorization: Bearer <token>.',
  );
}

/** Who is asking, on a route that is not public. */
export function principalOf({ principal }: FastifyRequest): Principal {
  if (principal === null) throw new Error('The access that this route declares lets strangers in.');
  return principal;
}

/** The user who is asking, on a route whose access is `user` or `session`. */
export function userOf(request: FastifyRequest): UserRecord {
  const { user } = principalOf(request);
  if (user === null) throw new Error('The access that this route declares lets in who is no user.');
  return user;
}
