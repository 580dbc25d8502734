/** Builds the control plane API. It does not listen, and knows no controller: it writes desired rows and shows rows. */
import { fastify, LogController } from 'fastify';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { principalResolver } from './auth/principal.ts';
import { createPasswords } from './auth/passwords.ts';
import { createSlowDown } from './auth/slow-down.ts';
import { clientAddresses } from './client-address.ts';
import { upgradeOptions } from './console/upgrade.ts';
import type { ApiContext, ApiDeps, App } from './context.ts';
import { idMaker } from './ids.ts';
import { auditTrail, type NoteInAudit } from './plugins/audit.ts';
import { authentication } from './plugins/auth.ts';
import { bodyDeadline } from './plugins/body-deadline.ts';
import { clientErrors, rawAnswers, type AnswerRaw } from './plugins/client-errors.ts';
import { framing, literalUrl } from './plugins/framing.ts';
import { idempotentAnswers, type FirstAnswer } from './plugins/idempotency.ts';
import { jsonBodies } from './plugins/json-bodies.ts';
import { bodyLimit, problemAnswers, sendProblem } from './plugins/problem.ts';
import { requestIds, requestLog } from './plugins/request-log.ts';
import { secureAnswers } from './plugins/security-headers.ts';
import { apiTokenRoutes } from './routes/api-tokens.ts';
import { auditRoutes } from './routes/audit.ts';
import { authRoutes } from './routes/auth.ts';
import { bootstrapRoutes } from './routes/bootstrap.ts';
import { consoleRoutes } from './routes/console.ts';
import { challengeRoutes } from './routes/challenge.ts';
import { deployKeyRoutes } from './routes/deploy-key.ts';
import { deploymentLogRoutes } from './routes/deployment-logs.ts';
import { deploymentRoutes } from './routes/deployments.ts';
import { domainRoutes } from './routes/domains.ts';
import { eventRoutes } from './routes/events.ts';
import { gcRoutes } from './routes/gc.ts';
import { healthRoutes } from './routes/health.ts';
import { jobRoutes } from './routes/jobs.ts';
import { meRoutes } from './routes/me.ts';
import { memberRoutes } from './routes/members.ts';
import { nodeRoutes } from './routes/node.ts';
import { openApiRoutes } from './routes/openapi.ts';
import { projectRoutes } from './routes/projects.ts';
import { knownHostRoutes } from './routes/known-hosts.ts';
import { registryRoutes } from './routes/registries.ts';
import { runLogRoutes } from './routes/run-logs.ts';
import { runRoutes } from './routes/runs.ts';
import { secretRoutes } from './routes/secrets.ts';
import { serviceActionRoutes } from './routes/service-actions.ts';
import { serviceLogRoutes } from './routes/service-logs.ts';
import { serviceMetricsRoutes } from './routes/service-metrics.ts';
import { serviceRoutes } from './routes/services.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { userRoutes } from './routes/users.ts';
import { volumeRoutes } from './routes/volumes.ts';
import { createMasks } from '../specs/mask.ts';
import { validatorCompiler } from './validation.ts';
import { preconditions } from './versions.ts';

/** @returns the API, to be made `ready` or to `listen`; it fails to when a route declares no access */
export function buildApi(deps: ApiDeps): App {
  const { clock, random } = deps;
  const answerRaw = rawAnswers(clock, random);
  const app = createServer(deps, answerRaw);
  const stopping = new AbortController();
  const api: ApiContext = {
    ...deps,
    newId: idMaker(clock, random),
    passwords: createPasswords(random, async () => {
      const users = await deps.accounts.listUsers();
      return users.map(({ password_hash }) => password_hash);
    }),
    masks: createMasks((projectId) => deps.vault.secretsOf(projectId)),
    slowDown: createSlowDown({ failures: deps.loginFailures, clock, key: deps.nodeKey }),
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
  clientAddresses(app);
  secureAnswers(app);
  problemAnswers(app, api.masks);
  requestLog(app);
  bodyDeadline(app, clock);
  framing(app, answerRaw);
  jsonBodies(app);
  authentication(app, { ...deps, resolve: principalResolver(deps) });
  preconditions(app);
  const note = auditTrail(app, api);
  const firstAnswer = idempotentAnswers(app, api);
  addRoutes(app, api, firstAnswer, note);
  return app;
}

function addRoutes(app: App, api: ApiContext, firstAnswer: FirstAnswer, note: NoteInAudit): void {
  openApiRoutes(app, api);
  healthRoutes(app, api);
  challengeRoutes(app, api);
  nodeRoutes(app, api);
  bootstrapRoutes(app, api);
  authRoutes(app, api);
  meRoutes(app, api);
  apiTokenRoutes(app, api);
  userRoutes(app, api);
  projectRoutes(app, api);
  memberRoutes(app, api);
  registryRoutes(app, api);
  knownHostRoutes(app, api);
  volumeRoutes(app, api);
  deployKeyRoutes(app, api);
  serviceRoutes(app, api);
  secretRoutes(app, api);
  domainRoutes(app, api);
  serviceActionRoutes(app, api);
  serviceLogRoutes(app, api);
  consoleRoutes(app, api, note);
  serviceMetricsRoutes(app, api);
  uploadRoutes(app, api, firstAnswer);
  deploymentRoutes(app, api);
  deploymentLogRoutes(app, api);
  jobRoutes(app, api);
  runRoutes(app, api);
  runLogRoutes(app, api);
  gcRoutes(app, api);
  eventRoutes(app, api);
  auditRoutes(app, api);
}

function createServer({ logger, clock, random }: ApiDeps, answerRaw: AnswerRaw): App {
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
    rewriteUrl: literalUrl,
    // A name that is too long is one that there is not, which is found out on the usual way. Node bounds the whole path.
    routerOptions: { maxParamLength: 16_384 },
    clientErrorHandler: clientErrors(answerRaw),
    // Node's answer to a request without Host has no body; framing.ts has one.
    http: { requireHostHeader: false, ...upgradeOptions },
  })
    .withTypeProvider<TypeBoxTypeProvider>()
    .setValidatorCompiler(validatorCompiler());
}
