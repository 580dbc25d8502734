/**
 * The ownership challenge of a domain. The ingress answers it on every hostname that it knows; here it is for requests that
 * come to the API itself. Public: the token shows nothing but where it came from.
 */
import { Type } from '@sinclair/typebox';
import { canonicalHostname } from '../../specs/hostname.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { ApiContext, App } from '../context.ts';
import { streamed } from '../openapi/streamed.ts';

const params = Type.Object({ token: Type.String() });

export function challengeRoutes(app: App, { store }: Pick<ApiContext, 'store'>): void {
  app.get(
    '/.well-known/service-challenge/:token',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getServiceChallenge',
        description: 'Answers the token when Host is the hostname of the domain that it was made for.',
        params,
        response: { 200: streamed('The token.', 'text/plain') },
      },
    },
    async (request, reply) => {
      const { token } = request.params;
      const host = canonicalHostname(request.host.replace(/:\d{0,5}$/, ''));
      const domains = 'hostname' in host ? await store.list('Domain', { name: host.hostname }) : [];
      const isAnswered = domains.some(
        ({ spec, deleted_at: deleted }) => spec.token === token && deleted === null,
      );
      if (!isAnswered) throw new ProblemError('not_found', 'No domain of this host has such a challenge.');
      return reply
        .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
        .send(token);
    },
  );
}
