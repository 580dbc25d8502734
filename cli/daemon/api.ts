/** Makes the API and the metrics listen: on their addresses, and for the ingress on a socket of the run directory. */
import { chmod, chown, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { buildApi } from '../../api/app.ts';
import { trustIngress } from '../../api/client-address.ts';
import { buildMetrics } from '../../api/metrics.ts';
import type { NodeState } from '../../api/ports.ts';
import type { Metrics } from '../../controllers/runtime/metrics.ts';
import { ingressUser } from '../../ingress/index.ts';
import type { Clock, Random } from '../../specs/clock.ts';
import { programVersion } from '../version.ts';
import { warnOfExposure } from './exposure.ts';
import type { NodeSettings } from './settings.ts';
import type { State } from './state.ts';

export interface ApiParts {
  state: State;
  node: NodeState;
  metrics: Metrics;
  clock: Clock;
  random: Random;
  logger: Logger;
}

/** Where the ingress finds the API, for the control domain. */
export function apiSocket(runDir: string): string {
  return join(runDir, 'api.sock');
}

/** Listens, and puts closing on the stack. */
export async function startApi(
  settings: NodeSettings,
  stack: AsyncDisposableStack,
  parts: ApiParts,
): Promise<void> {
  const { state, node, metrics, clock, random, logger } = parts;
  const { store, rotateNodeKey, uploads, deploymentLogs, workloadLogs } = state;
  const { accounts, vault, audit, idempotency, loginFailures, nodeKey } = store;
  const { controlDomain, appsDomain, publicHttpPort, sessionIdleMs, sessionMaxMs, auditKeepMs } = settings;
  warnOfExposure(settings.apiListen, logger);
  const api = buildApi({
    ...{ store, accounts, vault, audit, idempotency, loginFailures, nodeKey, rotateNodeKey },
    ...{ clock, random, node, logger },
    settings: {
      ...{ controlDomain, appsDomain, publicHttpPort, sessionIdleMs, sessionMaxMs, auditKeepMs },
      version: programVersion(),
    },
    uploads: {
      receive: (id, body, signal) => uploads.receive(id, body, signal),
      discard: (id) => uploads.remove(id),
    },
    logs: {
      deploymentLog: deploymentLogs.read,
      onDeploymentLog: deploymentLogs.onAppend,
      workloadLog: workloadLogs.read,
      onWorkloadLog: workloadLogs.onAppend,
    },
  });
  stack.defer(() => api.close());
  await api.listen(settings.apiListen);
  if (controlDomain !== null)
    await listenForIngress(
      (request, response) => api.routing(request, response),
      apiSocket(state.runDir),
      stack,
    );
  if (settings.metricsListen === undefined) return;
  const scraped = buildMetrics({ render: () => metrics.render(), node, clock, random, logger });
  stack.defer(() => scraped.close());
  await scraped.listen(settings.metricsListen);
}

async function listenForIngress(
  routing: RequestListener,
  path: string,
  stack: AsyncDisposableStack,
): Promise<void> {
  const server = createServer(routing);
  trustIngress(server);
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  stack.defer(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  await chmod(path, 0o600);
  const user = ingressUser();
  if (user) await chown(path, user.uid, user.gid);
}
