/** The log of a deployment: whole, and as it grows. */
import { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { deploymentInPath, deploymentOf } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { deploymentEvents, deploymentText } from '../deployment-log.ts';
import { lastEventId, sendEvents } from '../sse.ts';

const route = {
  config: { access: { role: 'Viewer', of: deploymentInPath } },
  schema: { params: Type.Object({ id: Type.String() }) },
  // The answer to HEAD would be a stream that nobody reads.
  exposeHeadRoute: false,
} as const;

export function deploymentLogRoutes(app: App, api: ApiContext): void {
  app.get('/v1/deployments/:id/logs', route, (request, reply) => {
    const text = deploymentText(api.logs, deploymentOf(request).id);
    return reply
      .header('content-type', 'text/plain; charset=utf-8')
      .send(Readable.from(text, { objectMode: false }));
  });

  app.get('/v1/deployments/:id/logs/stream', route, (request, reply) =>
    sendEvents(request, reply, deploymentEvents(api, deploymentOf(request).id, lastEventId(request)), api),
  );
}
