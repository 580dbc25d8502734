/** From a token to who is asking. The one place that knows all three kinds of tokens. */
import type { FastifyRequest } from 'fastify';
import { ProblemError } from '../../specs/problem.ts';
import type { Role } from '../../specs/account.ts';
import { timestamp } from '../../specs/meta.ts';
import type { Clock, Random } from '../../specs/clock.ts';
import type { Accounts, TokenRecord, UserRecord } from '../store/accounts.ts';
import { bootstrapTokenVerifier } from './bootstrap-token.ts';
import { hashToken, type TokenKind } from './tokens.ts';

/** Who is asking. */
export interface Principal {
  kind: 'bootstrap' | TokenKind;
  /** Null for the bootstrap token, which is nobody's. */
  user: UserRecord | null;
  tokenId: string | null;
  superAdmin: boolean;
  /** Project id → role. */
  memberships: ReadonlyMap<string, Role>;
}

/** Throws `unauthenticated`, always the same, unless the token is valid now. */
export type ResolvePrincipal = (token: string) => Promise<Principal>;

/** Nobody is a member of anything yet: every account is a super-admin. */
const none: ReadonlyMap<string, Role> = new Map();

/** How exact `last_used_at` is: a transaction for every request would be too many. */
const touchMs = 60_000;

export interface PrincipalDeps {
  accounts: Accounts;
  clock: Clock;
  random: Random;
  nodeKey: Buffer;
}

export function principalResolver({ accounts, clock, random, nodeKey }: PrincipalDeps): ResolvePrincipal {
  const isBootstrap = bootstrapTokenVerifier(nodeKey, random);
  return async (token) => {
    // Looked up even when there is no token, or a bootstrap token, so that all refusals take the same time.
    const bootstrap = isBootstrap(token);
    const record = await accounts.findToken(hashToken(token));
    if (bootstrap)
      return { kind: 'bootstrap', user: null, tokenId: null, superAdmin: true, memberships: none };
    const now = clock.now();
    const user = record && !isExpired(record, now) ? await accounts.getUser(record.user_id) : undefined;
    if (!record || !user) throw unauthenticated();
    if (record.last_used_at === null || now - Date.parse(record.last_used_at) >= touchMs) {
      await accounts.touchToken(record.id, timestamp(now));
    }
    return { kind: record.kind, user, tokenId: record.id, superAdmin: user.super_admin, memberships: none };
  };
}

function isExpired({ expires_at }: TokenRecord, now: number): boolean {
  return expires_at !== null && Date.parse(expires_at) <= now;
}

function unauthenticated(): ProblemError {
  return new ProblemError('unauthenticated', 'This takes a valid token: Authorization: Bearer <token>.');
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
