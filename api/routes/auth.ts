/** Login and logout: sessions of people. */
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { Login, Session } from '../../specs/account.ts';
import { timestamp } from '../../specs/meta.ts';
import { ProblemError } from '../../specs/problem.ts';
import { mintToken } from '../auth/tokens.ts';
import { clientAddress } from '../client-address.ts';
import type { ApiContext, App } from '../context.ts';
import type { UserRecord } from '../store/accounts.ts';
import { userView } from '../views/account.ts';

export function authRoutes(app: App, api: ApiContext): void {
  app.post(
    '/v1/auth/login',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'logIn',
        problems: ['unauthenticated', 'rate_limited'],
        body: Login,
        response: { 200: Session },
      },
    },
    async (request) => {
      const user = await authenticate(api, request, request.body);
      return beginSession(api, user);
    },
  );

  app.post(
    '/v1/auth/logout',
    { config: { access: 'session' }, schema: { operationId: 'logOut', response: { 204: Type.Null() } } },
    async ({ principal }, reply) => {
      if (principal?.tokenId) await api.accounts.deleteToken(principal.tokenId);
      return reply.code(204).send(null);
    },
  );
}

/** The user with this name and password. Throws `unauthenticated`, after the same work whichever of the two is wrong. */
async function authenticate(
  { accounts, passwords, slowDown }: ApiContext,
  request: FastifyRequest,
  { username, password }: Login,
): Promise<UserRecord> {
  let user: UserRecord | undefined;
  const right = await slowDown.attempt({ username, address: clientAddress(request) }, async () => {
    user = await accounts.findUser(username);
    // The audit names only users that there are: what is typed as a name may be a password.
    request.auditedUser = user ?? null;
    return passwords.verify(user?.password_hash, password);
  });
  if (!user || !right) throw new ProblemError('unauthenticated', 'Wrong username or password.');
  // Only now is the password known: the time for a stronger hash of it.
  if (passwords.isOutdated(user.password_hash))
    await accounts.rehash(user.id, user.password_hash, await passwords.hash(password));
  return user;
}

async function beginSession(api: ApiContext, user: UserRecord): Promise<Session> {
  const { accounts, clock, random, newId } = api;
  const { sessionMaxMs } = api.settings;
  const { token, hash } = mintToken('session', random);
  const now = clock.now();
  const expires_at = timestamp(now + sessionMaxMs);
  await accounts.createToken(
    {
      ...({ id: newId('token'), kind: 'session', user_id: user.id, name: 'session', hash } as const),
      ...{ created_at: timestamp(now), expires_at, last_used_at: null, project_id: null, role: null },
    },
    // A password that was changed since it was checked begins no session.
    { ifUserVersion: user.version },
  );
  return { token, expires_at, user: userView(user) };
}
