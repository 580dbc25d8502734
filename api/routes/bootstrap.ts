/** The first account, made once with the token that `svc setup` wrote. */
import { Credentials, User } from '../../specs/account.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { ApiContext, App } from '../context.ts';
import { newUser } from '../desired/new-user.ts';
import { setETag } from '../versions.ts';
import { userView } from '../views/account.ts';

export function bootstrapRoutes(app: App, api: ApiContext): void {
  app.post(
    '/v1/bootstrap',
    {
      config: { access: 'bootstrap' },
      schema: { operationId: 'bootstrap', body: Credentials, response: { 201: User } },
    },
    async ({ body }, reply) => {
      const user = await newUser(api, { ...body, super_admin: true });
      if (!(await api.accounts.createFirstUser(user))) {
        throw new ProblemError('conflict', 'This node has an account already. Log in with it: svc auth.');
      }
      setETag(reply, user);
      return reply.code(201).send(userView(user));
    },
  );
}
