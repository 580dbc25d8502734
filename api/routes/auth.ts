/** Login and logout: sessions of people. */
import { Type } from '@sinclair/typebox';
import { Login, Session } from '../../specs/account.ts';
import { timestamp } from '../../specs/meta.ts';
import { ProblemError } from '../../specs/problem.ts';
import { mintToken } from '../auth/tokens.ts';
import type { ApiContext, App } from '../context.ts';
import { userView } from '../views/account.ts';

/** How long a session lasts: 30 days. */
const sessionMs = 30 * 86_400_000;

export function authRoutes(app: App, { accounts, passwords, clock, random, newId }: ApiContext): void {
  app.post(
    '/v1/auth/login',
    { config: { access: 'public' }, schema: { body: Login, response: { 200: Session } } },
    async ({ body }) => {
      const user = await accounts.findUser(body.username);
      const right = await passwords.verify(user?.password_hash, body.password);
      if (!user || !right) throw new ProblemError('unauthenticated', 'Wrong username or password.');

      const { token, hash } = mintToken('session', random);
      const now = clock.now();
      const expires_at = timestamp(now + sessionMs);
      await accounts.deleteExpiredSessions(timestamp(now));
      const base = { id: newId('token'), kind: 'session', user_id: user.id, name: 'session', hash } as const;
      await accounts.createToken({ ...base, created_at: timestamp(now), expires_at, last_used_at: null });
      return { token, expires_at, user: userView(user) };
    },
  );

  app.post(
    '/v1/auth/logout',
    { config: { access: 'session' }, schema: { response: { 204: Type.Null() } } },
    async ({ principal }, reply) => {
      if (principal?.tokenId) await accounts.deleteToken(principal.tokenId);
      return reply.code(204).send(null);
    },
  );
}
