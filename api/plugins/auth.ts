/**
 * Who asks, and whether they may, now and for as long as the answer goes on. Every route declares its access beside itself;
 * a route that declares none keeps the API from starting.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { checkRole, checkToken, type Access } from '../auth/access.ts';
import { watchAccess, type AccessWatch } from '../auth/access-watch.ts';
import { expiryOf, principalOf, type Principal, type ResolvePrincipal } from '../auth/principal.ts';
import { roleIn, type Scope } from '../auth/scope.ts';
import type { ApiDeps, App } from '../context.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyInstance {
    /** Every route, as it was declared. */
    declaredRoutes: readonly DeclaredRoute[];
  }
  interface FastifyRequest {
    /** Null on public routes. */
    principal: Principal | null;
    /** What the declared access has loaded. */
    scope: Scope | null;
    /** Checks the token and its rights anew: throws what the same request would get now. Null where no token was asked for. */
    authorizeAgain: (() => Promise<Principal>) | null;
    /** Begins to watch (accessWatch). Null where no token was asked for. */
    watchAccess: (() => AccessWatch) | null;
  }
}

export interface DeclaredRoute {
  method: string;
  /** With its parameters as `:name`. */
  url: string;
  access: Access | undefined;
}

type AuthenticationDeps = Pick<ApiDeps, 'store' | 'accounts' | 'clock'> & { resolve: ResolvePrincipal };

export function authentication(app: App, deps: AuthenticationDeps): void {
  const { store, resolve } = deps;
  refuseUndeclared(app);
  app.decorateRequest('principal', null);
  app.decorateRequest('scope', null);
  app.decorateRequest('authorizeAgain', null);
  app.decorateRequest('watchAccess', null);

  // Before the body is read: strangers cannot make the node parse anything.
  app.addHook('onRequest', async (request, reply) => {
    const { access } = request.routeOptions.config;
    if (access === 'public' || access === 'ticket' || (request.is404 && !isVersioned(request))) return;
    const principal = await resolve(bearerToken(request));
    request.principal = principal;
    if (request.is404) return;
    checkToken(principal, access);
    const authorize = () => authorizeAgain(request, deps);
    request.authorizeAgain = authorize;
    request.watchAccess = () => watchFor(request, reply, authorize, deps);
  });

  // After validation: the object may be named in the body.
  app.addHook('preHandler', async (request) => {
    const { access } = request.routeOptions.config;
    if (request.is404 || typeof access !== 'object') return;
    const principal = principalOf(request);
    const isMember = (projectId: string) => roleIn(principal, projectId) !== undefined;
    const scope = await access.of.find(request, store, isMember);
    checkRole(principal, access, scope);
    request.scope = scope;
  });
}

/** Watches, until the answer is over, whether who was let in still may. For what goes on after its request was checked. */
export function accessWatch(request: FastifyRequest): AccessWatch {
  if (request.watchAccess === null) throw new Error('On a public route there is no right to lose.');
  return request.watchAccess();
}

/** What the request is about is looked for anew as well: it may be gone, and a name may be another's. */
async function authorizeAgain(
  request: FastifyRequest,
  { store, resolve }: AuthenticationDeps,
): Promise<Principal> {
  const { access } = request.routeOptions.config;
  const principal = await resolve(bearerToken(request));
  checkToken(principal, access);
  if (typeof access !== 'object') return principal;
  const isMember = (projectId: string) => roleIn(principal, projectId) !== undefined;
  const found = await access.of.find(request, store, isMember);
  const isSame =
    found?.project.id === request.scope?.project.id && found?.service?.id === request.scope?.service?.id;
  checkRole(principal, access, isSame ? found : undefined);
  return principal;
}

function watchFor(
  request: FastifyRequest,
  reply: FastifyReply,
  authorize: () => Promise<Principal>,
  { accounts, store, clock }: AuthenticationDeps,
): AccessWatch {
  const principal = principalOf(request);
  const [userId, expiresAt] = [principal.user?.id ?? null, expiryOf(principal)];
  const about = new Set(Object.values(request.scope ?? {}).map(({ id }: { id: string }) => id));
  const onGone = (listener: () => void) =>
    store.onChange(({ id, by }) => {
      if (by === 'purged' && about.has(id)) listener();
    });
  const watch = watchAccess({ accounts, clock, userId, expiresAt, authorize, onGone });
  if (reply.raw.closed) watch.stop();
  else reply.raw.once('close', () => watch.stop());
  return watch;
}

function refuseUndeclared(app: App): void {
  const routes: DeclaredRoute[] = [];
  app.decorate('declaredRoutes', routes);
  app.addHook('onRoute', ({ method, url, config }) => {
    for (const one of [method].flat()) routes.push({ method: one, url, access: config?.access });
  });
  app.addHook('onReady', (done) => {
    const undeclared = routes.filter(({ access }) => access === undefined);
    const names = undeclared.map(({ method, url }) => `${method} ${url}`);
    if (names.length === 0) done();
    else done(new Error(`Routes that declare no access: ${names.join(', ')}`));
  });
}

/** Everything there takes a token, also what is not there. */
function isVersioned({ url }: FastifyRequest): boolean {
  return /^\/v1(?:[/?]|$)/.test(url);
}

/** The credentials of RFC 6750, section 2.1; empty when there are none. */
function bearerToken({ headers }: FastifyRequest): string {
  return /^bearer +([\w.~+/-]{1,512}=*)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}
