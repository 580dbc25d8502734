/** What a run prints: whole, and as it grows. */
import { Type } from '@sinclair/typebox';
import { runInPath, runOf } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { streamed } from '../openapi/streamed.ts';
import { runEvents, runText } from '../run-log.ts';
import { lastEventId, sendEvents } from '../sse.ts';
import { sendText } from '../text-stream.ts';

const route = {
  config: { access: { role: 'Viewer', of: runInPath } },
  // The answer to HEAD would be a stream that nobody reads.
  exposeHeadRoute: false,
} as const;
const params = Type.Object({ id: Type.String() });
const whole = {
  operationId: 'getRunLog',
  params,
  response: { 200: streamed('Every line that it printed so far.', 'text/plain') },
};
const events = {
  operationId: 'followRunLog',
  params,
  response: {
    200: streamed(
      'Events: `log` {at, try, stream, line}, `status` {at, status, reason, message}, at last `end` {status, reason, exit_code}.',
      'text/event-stream',
    ),
  },
};

export function runLogRoutes(app: App, api: ApiContext): void {
  app.get('/v1/runs/:id/logs', { ...route, schema: whole }, (request, reply) =>
    sendText(request, reply, runText(api, runOf(request))),
  );

  app.get('/v1/runs/:id/logs/stream', { ...route, schema: events }, (request, reply) =>
    sendEvents(request, reply, runEvents(api, runOf(request), lastEventId(request)), api),
  );
}
