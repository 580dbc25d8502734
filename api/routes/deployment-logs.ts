/** The log of a deployment: whole, and as it grows. */
import { Type } from '@sinclair/typebox';
import { deploymentInPath, deploymentOf } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { deploymentEvents, deploymentText } from '../deployment-log.ts';
import { streamed } from '../openapi/streamed.ts';
import { lastEventId, sendEvents } from '../sse.ts';
import { sendText } from '../text-stream.ts';

const route = {
  config: { access: { role: 'Viewer', of: deploymentInPath } },
  // The answer to HEAD would be a stream that nobody reads.
  exposeHeadRoute: false,
} as const;
const params = Type.Object({ id: Type.String() });
const whole = {
  operationId: 'getDeploymentLog',
  params,
  response: { 200: streamed('Every line of the build and of the release so far.', 'text/plain') },
};
const events = {
  operationId: 'followDeploymentLog',
  params,
  response: {
    200: streamed(
      'Events: `log` {at, phase, stream, line}, `status` {status, reason, message}, at last `end` {status}.',
      'text/event-stream',
    ),
  },
};

export function deploymentLogRoutes(app: App, api: ApiContext): void {
  app.get('/v1/deployments/:id/logs', { ...route, schema: whole }, (request, reply) => {
    const text = deploymentText(api, deploymentOf(request));
    return sendText(request, reply, text);
  });

  app.get('/v1/deployments/:id/logs/stream', { ...route, schema: events }, (request, reply) =>
    sendEvents(request, reply, deploymentEvents(api, deploymentOf(request), lastEventId(request)), api),
  );
}
