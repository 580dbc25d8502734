/** API tokens of the user who asks: named, long-lived, shown once, limited on demand. */
import { Type } from '@sinclair/typebox';
import { ApiToken, CreateApiToken, MintedApiToken } from '../../specs/account.ts';
import { ProblemError } from '../../specs/problem.ts';
import { Page } from '../../specs/resources.ts';
import { isLimited, principalOf, userOf } from '../auth/principal.ts';
import type { ApiContext, App } from '../context.ts';
import { createApiToken } from '../desired/create-api-token.ts';
import { pageQuery, readPage } from '../paging.ts';
import { readTokenView } from '../views/account.ts';

const config = { access: 'user', unversioned: true } as const;
const params = Type.Object({ id: Type.String() });
const querystring = Type.Object(pageQuery, { additionalProperties: false });

export function apiTokenRoutes(app: App, api: ApiContext): void {
  const { accounts, store } = api;

  app.get(
    '/v1/api-tokens',
    { config, schema: { operationId: 'listApiTokens', querystring, response: { 200: Page(ApiToken) } } },
    async (request) => {
      const { id } = userOf(request);
      const read = (page: { limit: number; before?: string }) => accounts.listTokens(id, 'api', page);
      const { rows, next_cursor } = await readPage(read, request.query);
      return { items: await Promise.all(rows.map((row) => readTokenView(store, row))), next_cursor };
    },
  );

  app.post(
    '/v1/api-tokens',
    {
      config,
      schema: {
        operationId: 'createApiToken',
        problems: ['not_found'],
        body: CreateApiToken,
        response: { 201: MintedApiToken },
      },
    },
    async (request, reply) => {
      const { token, record } = await createApiToken(api, request, request.body);
      return reply.code(201).send({ ...(await readTokenView(store, record)), token });
    },
  );

  app.delete(
    '/v1/api-tokens/:id',
    {
      config: { ...config, access: 'holder' },
      schema: {
        operationId: 'deleteApiToken',
        description: 'A token that is limited to a project or a role may revoke itself and no other.',
        params,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request);
      const { id } = request.params;
      if (isLimited(principal) && principal.tokenId !== id)
        throw new ProblemError('forbidden', 'This token is limited: it may revoke itself and no other.');
      const own = await accounts.listTokens(userOf(request).id, 'api');
      const token = own.find((one) => one.id === id);
      if (!token) throw new ProblemError('not_found', 'There is no such token.');
      request.auditedName = token.name;
      await accounts.deleteToken(id);
      return reply.code(204).send(null);
    },
  );
}
