/** What a service's workload prints: so far, and as it goes on. */
import { Readable } from 'node:stream';
import { Type, type Static } from '@sinclair/typebox';
import { serviceInPath, serviceOf } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import type { WorkloadLogQuery } from '../ports.ts';
import { lastEventId, sendEvents } from '../sse.ts';
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
  schema: { params: Type.Object({ id: Type.String() }), querystring: LogQuery },
  // The answer to HEAD would be a stream that nobody reads.
  exposeHeadRoute: false,
} as const;

export function serviceLogRoutes(app: App, api: ApiContext): void {
  app.get('/v1/services/:id/logs', route, (request, reply) => {
    const asJson = request.headers.accept?.includes('application/x-ndjson') === true;
    const text = workloadText(
      api.logs,
      serviceOf(request).id,
      logQuery(request.query),
      asJson ? 'ndjson' : 'plain',
    );
    return reply
      .header('content-type', asJson ? 'application/x-ndjson' : 'text/plain; charset=utf-8')
      .send(Readable.from(text, { objectMode: false }));
  });

  app.get('/v1/services/:id/logs/stream', route, (request, reply) => {
    const after = lastEventId(request);
    const { since, replica, tail } = logQuery(request.query);
    // A client that resumes has had its tail already.
    const start = after > 0 ? { after } : { ...(tail === undefined ? {} : { tail }) };
    const query = {
      ...start,
      ...(since === undefined ? {} : { since }),
      ...(replica === undefined ? {} : { replica }),
    };
    return sendEvents(request, reply, workloadEvents(api, serviceOf(request).id, query), api);
  });
}

/** `since` in UTC, as log lines have it. */
function logQuery({ since, ...rest }: Static<typeof LogQuery>): WorkloadLogQuery {
  return since === undefined ? rest : { ...rest, since: new Date(since).toISOString() };
}
