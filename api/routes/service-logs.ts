/** What a service's workload prints: so far, and as it goes on. */
import { Type, type Static } from '@sinclair/typebox';
import type { Row } from '../../specs/index.ts';
import { serviceInPath, serviceOf } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { findDeployment, findReplica } from '../logged.ts';
import { streamed } from '../openapi/streamed.ts';
import type { WorkloadLogQuery } from '../ports.ts';
import { lastEventText, sendEvents } from '../sse.ts';
import { sendText } from '../text-stream.ts';
import { workloadEvents, workloadText } from '../workload-log.ts';

const selection = {
  since: Type.Optional(Type.String({ format: 'date-time', description: 'only lines of this time or later' })),
  tail: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'only so many of the newest lines' }),
  ),
  replica: Type.Optional(
    Type.String({ maxLength: 64, description: 'only lines of this replica: its id, or the end of it' }),
  ),
  deployment: Type.Optional(
    Type.String({ maxLength: 64, description: 'only lines of this deployment: its id or its number' }),
  ),
};
const FollowQuery = Type.Object(selection, { additionalProperties: false });
const LogQuery = Type.Object(
  {
    ...selection,
    previous: Type.Optional(
      Type.Boolean({
        description:
          'of each replica the run before its present one: what it printed before it was last started again',
      }),
    ),
  },
  { additionalProperties: false },
);

const route = {
  config: { access: { role: 'Viewer', of: serviceInPath } },
  // The answer to HEAD would be a stream that nobody reads.
  exposeHeadRoute: false,
} as const;
const params = Type.Object({ id: Type.String() });
const text = {
  operationId: 'getServiceLog',
  params,
  querystring: LogQuery,
  response: {
    200: streamed(
      'Every line that is left, in the order in which they were printed.',
      'text/plain',
      'application/x-ndjson',
    ),
  },
};
const events = {
  operationId: 'followServiceLog',
  params,
  querystring: FollowQuery,
  response: { 200: streamed('Events: `log` {at, replica, stream, line}.', 'text/event-stream') },
};

export function serviceLogRoutes(app: App, api: ApiContext): void {
  app.get('/v1/services/:id/logs', { ...route, schema: text }, async (request, reply) => {
    const asJson = request.headers.accept?.includes('application/x-ndjson') === true;
    const service = serviceOf(request);
    const query = await logQuery(api, service, request.query);
    const text = workloadText(api, service, query, asJson ? 'ndjson' : 'plain');
    return sendText(request, reply, text, asJson ? 'application/x-ndjson' : undefined);
  });

  app.get('/v1/services/:id/logs/stream', { ...route, schema: events }, async (request, reply) => {
    const service = serviceOf(request);
    const query = await logQuery(api, service, request.query);
    const lines = workloadEvents(api, service, query, lastEventText(request));
    return sendEvents(request, reply, lines, api);
  });
}

/** Times in UTC and whole ids, as log lines have them. Throws `invalid` for a replica or deployment that there is not. */
async function logQuery(
  api: ApiContext,
  service: Row<'Service'>,
  { since, replica, deployment, ...rest }: Static<typeof LogQuery>,
): Promise<WorkloadLogQuery> {
  return {
    ...rest,
    ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
    ...(replica === undefined ? {} : { replica: await findReplica(api, service, replica) }),
    ...(deployment === undefined ? {} : { deployment: await findDeployment(api, service, deployment) }),
  };
}
