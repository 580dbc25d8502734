/** What a service's workload prints: so far, and as it goes on. */
import { Type, type Static } from '@sinclair/typebox';
import { serviceInPath, serviceOf } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import type { WorkloadLogQuery } from '../ports.ts';
import { streamed } from '../openapi/streamed.ts';
import { lastEventId, sendEvents } from '../sse.ts';
import { sendText } from '../text-stream.ts';
import { workloadEvents, workloadText } from '../workload-log.ts';

const LogQuery = Type.Object(
  {
    since: Type.Optional(Type.String({ format: 'date-time' })),
    tail: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    replica: Type.Optional(Type.String({ maxLength: 64 })),
  },
  { additionalProperties: false },
);

const route = {
  config: { access: { role: 'Viewer', of: serviceInPath } },
  // The answer to HEAD would be a stream that nobody reads.
  exposeHeadRoute: false,
} as const;
const request = { params: Type.Object({ id: Type.String() }), querystring: LogQuery };
const text = {
  operationId: 'getServiceLog',
  ...request,
  response: { 200: streamed('Every line that is left.', 'text/plain', 'application/x-ndjson') },
};
const events = {
  operationId: 'followServiceLog',
  ...request,
  response: { 200: streamed('Events: `log` {at, replica, stream, line}.', 'text/event-stream') },
};

export function serviceLogRoutes(app: App, api: ApiContext): void {
  app.get('/v1/services/:id/logs', { ...route, schema: text }, (request, reply) => {
    const asJson = request.headers.accept?.includes('application/x-ndjson') === true;
    const text = workloadText(api, serviceOf(request), logQuery(request.query), asJson ? 'ndjson' : 'plain');
    return sendText(request, reply, text, asJson ? 'application/x-ndjson' : undefined);
  });

  app.get('/v1/services/:id/logs/stream', { ...route, schema: events }, (request, reply) => {
    const after = lastEventId(request);
    const { since, replica, tail } = logQuery(request.query);
    // A client that resumes has had its tail already.
    const start = after > 0 ? { after } : { ...(tail === undefined ? {} : { tail }) };
    const query = {
      ...start,
      ...(since === undefined ? {} : { since }),
      ...(replica === undefined ? {} : { replica }),
    };
    return sendEvents(request, reply, workloadEvents(api, serviceOf(request), query), api);
  });
}

/** `since` in UTC, as log lines have it. */
function logQuery({ since, ...rest }: Static<typeof LogQuery>): WorkloadLogQuery {
  return since === undefined ? rest : { ...rest, since: new Date(since).toISOString() };
}
