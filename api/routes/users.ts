/** Users: made, changed and taken away by super-admins. Found by id or username. */
import { Type } from '@sinclair/typebox';
import { CreateUser, UpdateUser, User } from '../../specs/account.ts';
import { timestamp } from '../../specs/meta.ts';
import { Page } from '../../specs/resources.ts';
import { requireGoodPassword } from '../auth/password-rules.ts';
import { findUser } from '../auth/users.ts';
import type { ApiContext, App } from '../context.ts';
import { newUser } from '../desired/new-user.ts';
import { pageQuery, readPage } from '../paging.ts';
import type { UserRecord } from '../store/accounts.ts';
import { ifMatch, setETag } from '../versions.ts';
import { userView } from '../views/account.ts';

const config = { access: 'super-admin' } as const;
const params = Type.Object({ id: Type.String({ description: "the user's id or username" }) });
const querystring = Type.Object(pageQuery, { additionalProperties: false });

export function userRoutes(app: App, api: ApiContext): void {
  const { accounts } = api;

  app.get(
    '/v1/users',
    { config, schema: { operationId: 'listUsers', querystring, response: { 200: Page(User) } } },
    async ({ query }) => {
      const { rows, next_cursor } = await readPage((page) => accounts.listUsers(page), query);
      return { items: rows.map(userView), next_cursor };
    },
  );

  app.post(
    '/v1/users',
    { config, schema: { operationId: 'createUser', body: CreateUser, response: { 201: User } } },
    async ({ body }, reply) => {
      const user = await newUser(api, body);
      await accounts.createUser(user);
      setETag(reply, user);
      return reply.code(201).send(userView(user));
    },
  );

  app.get(
    '/v1/users/:id',
    { config, schema: { operationId: 'getUser', params, response: { 200: User } } },
    async (request, reply) => {
      const user = await findUser(accounts, request.params.id);
      setETag(reply, user);
      return userView(user);
    },
  );

  app.patch(
    '/v1/users/:id',
    { config, schema: { operationId: 'updateUser', params, body: UpdateUser, response: { 200: User } } },
    async (request, reply) => {
      const user = await findUser(accounts, request.params.id);
      const changed = await updateUser(api, user, request.body, ifMatch(request, user));
      setETag(reply, changed);
      return userView(changed);
    },
  );

  app.delete(
    '/v1/users/:id',
    { config, schema: { operationId: 'deleteUser', params, response: { 204: Type.Null() } } },
    async (request, reply) => {
      const user = await findUser(accounts, request.params.id);
      request.auditedName = user.username;
      await accounts.deleteUser(user.id, { ifVersion: ifMatch(request, user) });
      return reply.code(204).send(null);
    },
  );
}

/** A new password revokes everything that the old one gave out. */
async function updateUser(
  { accounts, passwords, clock }: ApiContext,
  { id, username }: UserRecord,
  { password, super_admin }: UpdateUser,
  ifVersion: number | undefined,
): Promise<UserRecord> {
  if (password !== undefined) await requireGoodPassword(password, username);
  const secret = password === undefined ? {} : { password_hash: await passwords.hash(password) };
  const change = { ...secret, ...(super_admin === undefined ? {} : { super_admin }) };
  return accounts.updateUser(id, change, {
    at: timestamp(clock.now()),
    ifVersion,
    ...(password === undefined ? {} : { revoke: { kinds: 'all' as const } }),
  });
}
