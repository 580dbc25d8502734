/** API tokens of the user who asks: named, long-lived, shown once. */
import { Type } from '@sinclair/typebox';
import { ApiToken, CreateApiToken, MintedApiToken } from '../../specs/account.ts';
import { timestamp } from '../../specs/meta.ts';
import { ProblemError } from '../../specs/problem.ts';
import { Page } from '../../specs/resources.ts';
import { userOf } from '../auth/principal.ts';
import { mintToken } from '../auth/tokens.ts';
import type { ApiContext, App } from '../context.ts';
import { pageQuery, readPage } from '../paging.ts';
import { invalid } from '../validation.ts';
import { tokenView } from '../views/account.ts';

const config = { access: 'user' } as const;
const params = Type.Object({ id: Type.String() });

export function apiTokenRoutes(app: App, { accounts, clock, random, newId }: ApiContext): void {
  app.get(
    '/v1/api-tokens',
    {
      config,
      schema: {
        querystring: Type.Object(pageQuery, { additionalProperties: false }),
        response: { 200: Page(ApiToken) },
      },
    },
    async (request) => {
      const tokens = await accounts.listTokens(userOf(request).id, 'api');
      const { rows, next_cursor } = await readPage(
        ({ limit, before }) =>
          Promise.resolve(tokens.filter(({ id }) => before === undefined || id < before).slice(0, limit)),
        request.query,
      );
      return { items: rows.map(tokenView), next_cursor };
    },
  );

  app.post(
    '/v1/api-tokens',
    { config, schema: { body: CreateApiToken, response: { 201: MintedApiToken } } },
    async (request, reply) => {
      const { name, expires_at } = request.body;
      const now = clock.now();
      if (expires_at !== undefined && Date.parse(expires_at) <= now) {
        throw invalid([{ path: '/expires_at', message: 'is in the past' }]);
      }
      const { token, hash } = mintToken('api', random);
      const record = {
        ...({ id: newId('token'), kind: 'api', user_id: userOf(request).id, name, hash } as const),
        created_at: timestamp(now),
        expires_at: expires_at === undefined ? null : timestamp(Date.parse(expires_at)),
        last_used_at: null,
      };
      await accounts.createToken(record);
      return reply.code(201).send({ ...tokenView(record), token });
    },
  );

  app.delete(
    '/v1/api-tokens/:id',
    { config, schema: { params, response: { 204: Type.Null() } } },
    async (request, reply) => {
      const own = await accounts.listTokens(userOf(request).id, 'api');
      if (!own.some(({ id }) => id === request.params.id))
        throw new ProblemError('not_found', 'There is no such token.');
      await accounts.deleteToken(request.params.id);
      return reply.code(204).send(null);
    },
  );
}
