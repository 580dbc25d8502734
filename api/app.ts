/** Builds the control plane API. It does not listen, and knows no controller: it writes desired rows and shows rows. */
import { fastify, LogController } from 'fastify';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { principalResolver } from './auth/principal.ts';
import { createPasswords } from './auth/passwords.ts';
import type { ApiContext, ApiDeps, App } from './context.ts';
import { idMaker } from './ids.ts';
import { authentication } from './plugins/auth.ts';
import { jsonBodies } from './plugins/json-bodies.ts';
import { answerClientError, bodyLimit, problemAnswers, sendProblem } from './plugins/problem.ts';
import { requestIds, requestLog } from './plugins/request-log.ts';
import { apiTokenRoutes } from './routes/api-tokens.ts';
import { authRoutes } from './routes/auth.ts';
import { bootstrapRoutes } from './routes/bootstrap.ts';
import { deploymentLogRoutes } from './routes/deployment-logs.ts';
import { deploymentRoutes } from './routes/deployments.ts';
import { healthRoutes } from './routes/health.ts';
import { meRoutes } from './routes/me.ts';
import { nodeRoutes } from './routes/node.ts';
import { projectRoutes } from './routes/projects.ts';
import { serviceActionRoutes } from './routes/service-actions.ts';
import { serviceLogRoutes } from './routes/service-logs.ts';
import { serviceRoutes } from './routes/services.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { validatorCompiler } from './validation.ts';

/** @returns the API, to be made `ready` or to `listen`; it fails to when a route declares no access */
export function buildApi(deps: ApiDeps): App {
  const app = createServer(deps);
  const stopping = new AbortController();
  const { clock, random } = deps;
  const api: ApiContext = {
    ...deps,
    newId: idMaker(clock, random),
    passwords: createPasswords(random),
    stopping: stopping.signal,
  };

  app.addHook('preClose', (done) => {
    stopping.abort();
    done();
  });
  app.addHook('onResponse', (_request, _reply, done) => {
    // Those that were busy when it began to close.
    if (stopping.signal.aborted) setImmediate(() => app.server.closeIdleConnections());
    done();
  });
  problemAnswers(app);
  requestLog(app);
  jsonBodies(app);
  authentication(app, deps.store, principalResolver(deps));

  healthRoutes(app, api);
  nodeRoutes(app, api);
  bootstrapRoutes(app, api);
  authRoutes(app, api);
  meRoutes(app);
  apiTokenRoutes(app, api);
  projectRoutes(app, api);
  serviceRoutes(app, api);
  serviceActionRoutes(app, api);
  serviceLogRoutes(app, api);
  uploadRoutes(app, api);
  deploymentRoutes(app, api);
  deploymentLogRoutes(app, api);
  return app;
}

function createServer({ logger, clock, random }: ApiDeps): App {
  return fastify({
    loggerInstance: logger,
    // The request log of plugins/request-log.ts takes the place of Fastify's own, which has the query in it.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: requestIds(clock, random),
    bodyLimit,
    // A connection without a byte either way; streams have a heartbeat.
    connectionTimeout: 120_000,
    // While it closes, what still comes over open connections is answered.
    return503OnClosing: false,
    frameworkErrors: sendProblem,
    clientErrorHandler: answerClientError,
  })
    .withTypeProvider<TypeBoxTypeProvider>()
    .setValidatorCompiler(validatorCompiler());
}
