/** Who is asking: what their token is and may do, and their password. */
import { Type } from '@sinclair/typebox';
import { ChangePassword, Me } from '../../specs/account.ts';
import { timestamp } from '../../specs/meta.ts';
import { ProblemError } from '../../specs/problem.ts';
import { passwordViolations } from '../auth/password-rules.ts';
import { principalOf, userOf, type Principal } from '../auth/principal.ts';
import { roleIn } from '../auth/scope.ts';
import { clientAddress } from '../client-address.ts';
import type { ApiContext, App } from '../context.ts';
import type { Reader } from '../store/store.ts';
import { invalid } from '../validation.ts';
import { readTokenView, userView } from '../views/account.ts';

export function meRoutes(app: App, api: ApiContext): void {
  const { store, accounts, passwords, slowDown, clock } = api;

  app.get(
    '/v1/me',
    { config: { access: 'any' }, schema: { operationId: 'getMe', response: { 200: Me } } },
    async (request) => {
      const principal = principalOf(request);
      const { kind, user, token, superAdmin } = principal;
      return {
        kind,
        user: user && userView(user),
        super_admin: superAdmin,
        token: token && (await readTokenView(store, token)),
        projects: await projectsOf(store, principal),
      };
    },
  );

  app.put(
    '/v1/me/password',
    {
      config: { access: 'user' },
      schema: {
        operationId: 'changePassword',
        problems: ['rate_limited'],
        body: ChangePassword,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { current_password, password, revoke_tokens = false } = request.body;
      const user = userOf(request);
      const { id, username, version } = user;
      const right = await slowDown.attempt({ username, address: clientAddress(request) }, () =>
        passwords.verify(user.password_hash, current_password),
      );
      const violations = await passwordViolations(password, username);
      if (!right) violations.unshift({ path: '/current_password', message: 'is wrong' });
      if (violations.length > 0) throw invalid(violations);

      const password_hash = await passwords.hash(password);
      const revoke = {
        kinds: revoke_tokens ? 'all' : 'sessions',
        except: request.principal?.tokenId ?? undefined,
      } as const;
      await accounts
        .updateUser(id, { password_hash }, { at: timestamp(clock.now()), ifVersion: version, revoke })
        .catch(changedMeanwhile);
      return reply.code(204).send(null);
    },
  );
}

/** The version is not one that the client gave. */
function changedMeanwhile(cause: unknown): never {
  if (!(cause instanceof ProblemError) || cause.code !== 'precondition_failed') throw cause;
  throw new ProblemError('conflict', 'The account was changed meanwhile. Log in and try again.', { cause });
}

/** Those that are reached without the rights of a super-admin, by name. */
async function projectsOf(reader: Reader, principal: Principal) {
  const { memberships, limits } = principal;
  const reached: { id: string; name: string; role: NonNullable<ReturnType<typeof roleIn>> }[] = [];
  for (const id of new Set([...memberships.keys(), ...(limits.project === null ? [] : [limits.project])])) {
    const role = roleIn(principal, id);
    const project = role && (await reader.get('Project', id));
    if (project) reached.push({ id, name: project.name, role });
  }
  return reached.sort((a, b) => (a.name < b.name ? -1 : 1));
}
