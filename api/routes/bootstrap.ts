/** The first account, made once with the token that `svc setup` wrote. */
import { Credentials, User } from '../../specs/account.ts';
import { timestamp } from '../../specs/meta.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { ApiContext, App } from '../context.ts';
import { userView } from '../views/account.ts';

export function bootstrapRoutes(app: App, { accounts, passwords, clock, newId }: ApiContext): void {
  app.post(
    '/v1/bootstrap',
    { config: { access: 'bootstrap' }, schema: { body: Credentials, response: { 201: User } } },
    async ({ body }, reply) => {
      const user = {
        id: newId('user'),
        username: body.username,
        password_hash: await passwords.hash(body.password),
        super_admin: true,
        created_at: timestamp(clock.now()),
      };
      if (!(await accounts.createFirstUser(user))) {
        throw new ProblemError('conflict', 'This node has an account already. Log in with it: svc auth.');
      }
      return reply.code(201).send(userView(user));
    },
  );
}
