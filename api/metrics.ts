/** The listener for scrapers and supervisors: metrics and health, no resources and no tokens. Renders what it is handed. */
import { fastify, LogController, type FastifyBaseLogger } from 'fastify';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { Clock, Random } from '../specs/clock.ts';
import type { App } from './context.ts';
import { clientErrors, rawAnswers } from './plugins/client-errors.ts';
import { problemAnswers, sendProblem } from './plugins/problem.ts';
import { requestIds } from './plugins/request-log.ts';
import { secureAnswers } from './plugins/security-headers.ts';
import type { NodeState } from './ports.ts';
import { healthRoutes } from './routes/health.ts';

export interface MetricsDeps {
  /** The exposition of all metrics as they are now. */
  render(): Promise<{ contentType: string; body: string }>;
  node: NodeState;
  clock: Clock;
  random: Random;
  logger: FastifyBaseLogger;
}

/** @returns the server, to be made to `listen` */
export function buildMetrics(deps: MetricsDeps): App {
  const app: App = fastify({
    loggerInstance: deps.logger,
    // A line for every scrape would drown the others.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: requestIds(deps.clock, deps.random),
    frameworkErrors: sendProblem,
    clientErrorHandler: clientErrors(rawAnswers(deps.clock, deps.random)),
  }).withTypeProvider<TypeBoxTypeProvider>();

  secureAnswers(app);
  problemAnswers(app);
  healthRoutes(app, deps);
  app.get('/metrics', { config: { access: 'public' } }, async (_request, reply) => {
    const { contentType, body } = await deps.render();
    return reply.header('content-type', contentType).send(body);
  });
  return app;
}
