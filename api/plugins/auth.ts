/**
 * Who asks, and whether they may. Every route declares its access beside itself; a route that declares none keeps the
 * API from starting.
 */
import type { FastifyRequest } from 'fastify';
import { roles, type Role } from '../../specs/account.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { Principal, ResolvePrincipal } from '../auth/principal.ts';
import { roleIn, type Locator, type Scope } from '../auth/scope.ts';
import type { App } from '../context.ts';
import type { Reader } from '../store/store.ts';

/**
 * `public`: nobody needs a token. `any`: any of the three kinds. `bootstrap`, `session`: that kind only.
 * `user`: a token that belongs to a user. Or a role in the project of the object that the request names.
 */
type Access =
  'public' | 'any' | 'user' | 'session' | 'bootstrap' | 'super-admin' | { role: Role; of: Locator };

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    /** Null on public routes. */
    principal: Principal | null;
    /** What the declared access has loaded. */
    scope: Scope | null;
  }
}

export function authentication(app: App, reader: Reader, resolve: ResolvePrincipal): void {
  const undeclared: string[] = [];
  app.decorateRequest('principal', null);
  app.decorateRequest('scope', null);
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.access === undefined) undeclared.push(`${String(method)} ${url}`);
  });
  app.addHook('onReady', (done) => {
    done(
      undeclared.length === 0
        ? undefined
        : new Error(`Routes that declare no access: ${undeclared.join(', ')}`),
    );
  });

  // Before the body is read: strangers cannot make the node parse anything.
  app.addHook('onRequest', async (request) => {
    const { access } = request.routeOptions.config;
    if (request.is404 || access === 'public') return;
    request.principal = await resolve(bearerToken(request));
    if (!isAllowed(request.principal, access)) {
      throw new ProblemError('forbidden', 'This token may not do that.');
    }
  });

  // After validation: the object may be named in the body.
  app.addHook('preHandler', async (request) => {
    const { access } = request.routeOptions.config;
    if (request.is404 || typeof access !== 'object') return;
    const scope = await access.of.find(request, reader);
    const role = scope && roleIn(request.principal, scope.project.id);
    // The same answer for what is not there and for what is not theirs to know of.
    if (!scope || !role) throw new ProblemError('not_found', `There is no such ${access.of.noun}.`);
    if (roles.indexOf(role) < roles.indexOf(access.role)) {
      throw new ProblemError(
        'forbidden',
        `This takes the role ${access.role} in the project; yours is ${role}.`,
      );
    }
    request.scope = scope;
  });
}

function isAllowed(principal: Principal, access: Access | undefined): boolean {
  switch (access) {
    case undefined:
      return false;
    case 'public':
    case 'any':
      return true;
    case 'user':
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

/** The credentials of RFC 6750, section 2.1; empty when there are none. */
function bearerToken({ headers }: FastifyRequest): string {
  return /^bearer +([\w.~+/-]{1,512}=*)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}
