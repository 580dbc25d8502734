/** Makes the API and the metrics listen: on their addresses, and for the ingress on a socket of the run directory. */
import { chmod, chown, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { buildApi } from '../../api/app.ts';
import { trustIngress } from '../../api/client-address.ts';
import { serveUpgrades, upgradeOptions } from '../../api/console/upgrade.ts';
import type { App } from '../../api/context.ts';
import { buildMetrics } from '../../api/metrics.ts';
import type { Console, Garbage, NodeState, WorkloadMetrics } from '../../api/ports.ts';
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
  console: Console;
  garbage: Garbage;
  metrics: Metrics;
  usage: WorkloadMetrics;
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
  const { state, node, console, garbage, metrics, usage, clock, random, logger } = parts;
  const { store, rotateNodeKey, uploads, deploymentLogs, workloadLogs, runLogs } = state;
  const { accounts, vault, audit, events, idempotency, loginFailures, nodeKey } = store;
  const { controlDomain, appsDomain, publicHttpPort, publicHttpsPort, challengePort } = settings;
  const { sessionIdleMs, sessionMaxMs, auditKeepMs } = settings;
  warnOfExposure(settings.apiListen, logger);
  const api = buildApi({
    ...{ store, accounts, vault, audit, events, idempotency, loginFailures, nodeKey, rotateNodeKey },
    ...{ clock, random, node, console, garbage, metrics: usage, logger },
    settings: {
      ...{ controlDomain, appsDomain, publicHttpPort, publicHttpsPort, challengePort },
      acmeEnabled: settings.acmeEmail !== null,
      ...{ sessionIdleMs, sessionMaxMs, auditKeepMs, hostPaths: settings.hostPaths },
      version: programVersion(),
    },
    uploads: {
      receive: (id, body, signal) => uploads.receive(id, body, signal),
      discard: (id) => uploads.remove(id),
    },
    logs: {
      deploymentLog: deploymentLogs.read,
      onDeploymentLog: deploymentLogs.onAppend,
      runLog: runLogs.read,
      onRunLog: runLogs.onAppend,
      workloadLog: workloadLogs.read,
      lastWorkloadLine: workloadLogs.lastSeq,
      loggedReplicas: workloadLogs.replicas,
      onWorkloadLog: workloadLogs.onAppend,
    },
  });
  await api.ready();
  // Before the API on the stack, so that it closes after it: the API ends what it has open, consoles too.
  if (controlDomain !== null) await listenForIngress(api, apiSocket(state.runDir), stack);
  stack.defer(() => api.close());
  await api.listen(settings.apiListen);
  if (settings.metricsListen === undefined) return;
  const scraped = buildMetrics({ render: () => metrics.render(), node, clock, random, logger });
  stack.defer(() => scraped.close());
  await scraped.listen(settings.metricsListen);
}

async function listenForIngress(api: App, path: string, stack: AsyncDisposableStack): Promise<void> {
  const server = createServer(upgradeOptions, (request, response) => api.routing(request, response));
  trustIngress(server);
  serveUpgrades(server, api);
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
