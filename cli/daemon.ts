/**
 * The composition root of a node: opens what it keeps, finds the engine, starts the ingress, the controllers and the API,
 * and stops them in the opposite order. The only file (with its folder) that imports every part; it decides nothing.
 */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openFollower } from '../controllers/logs/follow.ts';
import { createAsk } from '../controllers/replica/ask.ts';
import { socketDirs } from '../controllers/replica/socket-dir.ts';
import { createMetrics } from '../controllers/runtime/metrics.ts';
import { controllerKinds } from '../controllers/runtime/reconciler.ts';
import { systemClock as clock, systemRandom as random } from '../controllers/runtime/system-clock.ts';
import { admit, createIngress, dial } from '../ingress/index.ts';
import { createMasks } from '../specs/mask.ts';
import { apiSocket, startApi } from './daemon/api.ts';
import { startAll } from './daemon/controllers.ts';
import { chooseEngine } from './daemon/engine.ts';
import { watchEngine } from './daemon/engine-watch.ts';
import { hostRoutes } from './daemon/host-routes.ts';
import { createLog } from './daemon/log.ts';
import { nodeState } from './daemon/node-state.ts';
import { startRetention } from './daemon/retention.ts';
import type { NodeSettings } from './daemon/settings.ts';
import { onSignals } from './daemon/signals.ts';
import { openState } from './daemon/state.ts';

/** Runs the node until a signal stops it. Rejects when it cannot start; what had started is stopped again. */
export async function serve(settings: NodeSettings): Promise<void> {
  const log = createLog(settings.logLevel);
  await using stack = new AsyncDisposableStack();
  const signals = onSignals();
  stack.defer(() => signals.close());
  await start(settings, log, stack);
  const { host, port } = settings.apiListen;
  log.info({ api: `${host}:${port}`, http: settings.httpListen }, 'the node is up');
  log.info({ signal: await signals.first }, 'the node is stopping; workloads go on');
}

async function start(settings: NodeSettings, log: Logger, stack: AsyncDisposableStack): Promise<void> {
  const state = await openState(settings, stack, { clock, random, log });
  const { dataDir, runDir, nodeId, store, uploads, deploymentLogs, workloadLogs } = state;
  const { auditKeepMs, sessionIdleMs } = settings;
  const retention = startRetention({ store, auditKeepMs, sessionIdleMs, clock, log });
  stack.defer(() => retention.close());
  const chosen = await chooseEngine({ dataDir, runDir, clock, log }, settings.engine);
  const { engine, endpoint } = chosen;
  stack.defer(() => chosen.release());
  const masks = createMasks((projectId) => store.vault.secretsOf(projectId));
  const follower = openFollower({ engine, logs: workloadLogs, masks, clock, log });
  stack.defer(() => follower.close());

  const { httpListen: listen, ingressWorkers: workers, controlDomain, appsDomain, buildLimits } = settings;
  const ingress = createIngress(
    { stateDir: join(dataDir, 'ingress'), runDir, listen, workers, log },
    { clock },
  );
  await ingress.start();
  stack.defer(() => ingress.close());

  const metrics = createMetrics(controllerKinds, { process: true });
  const socketsDir = join(runDir, 'sockets');
  const controllers = startAll({
    ...{ store, vault: store.vault, engine, ingress, uploads, deploymentLogs, workloadLogs, follower, masks },
    ...{ clock, random, log, metrics, nodeId },
    ...{ appsDomain, buildLimits, socketsDir, hostRoutes },
    sockets: socketDirs(socketsDir),
    ask: createAsk({ dial, admit }),
    control: controlDomain === null ? null : { host: controlDomain, socket: apiSocket(runDir) },
  });
  stack.defer(() => controllers.stop());
  const engineWatch = watchEngine({ engine, endpoint, nodeId, store, waker: controllers, clock, log });
  stack.defer(() => engineWatch.close());

  const pingStore = async (): Promise<void> => {
    await store.list('Project', { limit: 1 });
  };
  const node = nodeState({ ingress, engineWatch, pingStore });
  await startApi(settings, stack, { state, node, metrics, clock, random, logger: log });
}
