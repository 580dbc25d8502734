/**
 * The composition root of a node: opens what it keeps, finds the engine, starts the ingress, the controllers and the API,
 * and stops them in the opposite order. The only file (with its folder) that imports every part; it decides nothing.
 */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { startConsoles } from '../controllers/console/consoles.ts';
import { openLedger } from '../controllers/console/ledger.ts';
import { notingTags } from '../controllers/engine/tags.ts';
import { createLook, type Look } from '../controllers/domain/look.ts';
import { openFollower } from '../controllers/logs/follow.ts';
import { guardedFetch } from '../controllers/network/guarded-fetch.ts';
import { ownAddresses } from '../controllers/network/own-addresses.ts';
import { createResolve } from '../controllers/network/resolve.ts';
import { createAsk } from '../controllers/replica/ask.ts';
import { socketDirs } from '../controllers/replica/socket-dir.ts';
import { createRecorder } from '../controllers/runtime/events.ts';
import { createMetrics } from '../controllers/runtime/metrics.ts';
import { controllerKinds } from '../controllers/runtime/reconciler.ts';
import { systemClock as clock, systemRandom as random } from '../controllers/runtime/system-clock.ts';
import { admit, createIngress, dial, type Ingress } from '../ingress/index.ts';
import { createMasks } from '../specs/mask.ts';
import { apiSocket, startApi } from './daemon/api.ts';
import { clonesOf } from './daemon/clones.ts';
import { consoleOf } from './daemon/console.ts';
import { startAll } from './daemon/controllers.ts';
import { chooseEngine } from './daemon/engine.ts';
import { watchEngine } from './daemon/engine-watch.ts';
import { openIssuing } from './daemon/issuing.ts';
import { checkHostPaths, hostPathFaults } from './daemon/host-paths.ts';
import { garbageOf } from './daemon/gc.ts';
import { hostNetwork } from './daemon/host-network.ts';
import { createLog } from './daemon/log.ts';
import { nodeState } from './daemon/node-state.ts';
import { startRetention } from './daemon/retention.ts';
import type { NodeSettings } from './daemon/settings.ts';
import { onSignals } from './daemon/signals.ts';
import { openState, type State } from './daemon/state.ts';
import { watchUsage } from './daemon/usage.ts';

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
  const { dataDir, runDir, nodeId, store, uploads, deploymentLogs, workloadLogs, runLogs } = state;
  const { auditKeepMs, sessionIdleMs } = settings;
  const retention = startRetention({ store, workloadLogs, auditKeepMs, sessionIdleMs, clock, log });
  stack.defer(() => retention.close());
  const chosen = await chooseEngine({ dataDir, runDir, clock, log }, settings.engine);
  const { engine, endpoint } = chosen;
  stack.defer(() => chosen.release());
  const guarded = { dataDir, runDir, endpoint };
  checkHostPaths(settings.hostPaths, guarded);
  const masks = createMasks((projectId) => store.vault.secretsOf(projectId));
  const events = createRecorder({ events: store.events, masks, log });
  const garbage = garbageOf({ state, chosen, settings, events, clock, log });
  const follower = openFollower({ engine, logs: workloadLogs, masks, clock, log });
  stack.defer(() => follower.close());

  const ingress = await startIngress(settings, stack, state, log);
  const { controlDomain, appsDomain, buildLimits } = settings;
  const metrics = createMetrics(controllerKinds, { process: true, traffic: () => ingress.traffic() });
  const socketsDir = join(runDir, 'sockets');
  const issuing = await openIssuing(settings, stack, { store, vault: store.vault, clock });
  const controllers = startAll({
    garbage: garbage.deps,
    issuing,
    engine: notingTags(engine, state.tagNotes),
    ...{ store, vault: store.vault, ingress, uploads, follower, masks },
    ...{ deploymentLogs, workloadLogs, runLogs },
    ...{ clock, random, log, metrics, nodeId },
    ...{ events, requireRoom: () => garbage.requireRoom() },
    ...{ appsDomain, buildLimits, socketsDir, host: hostNetwork },
    ...{ sockets: socketDirs(socketsDir), hostPaths: settings.hostPaths },
    hostPathFault: hostPathFaults(guarded, log),
    ask: createAsk({ dial, admit }),
    look: lookOf(settings),
    ownAddresses,
    clones: await clonesOf(state, settings, { clock, random }),
    control: controlDomain === null ? null : { host: controlDomain, socket: apiSocket(runDir) },
  });
  stack.defer(() => controllers.stop());
  const engineWatch = watchEngine({ engine, endpoint, nodeId, store, waker: controllers, clock, log });
  stack.defer(() => engineWatch.close());

  const room = garbage.watch(controllers);
  stack.defer(() => room.close());
  const pingStore = async (): Promise<void> => {
    await store.list('Project', { limit: 1 });
  };
  const node = nodeState({ ingress, engineWatch, room, pingStore });
  const ledger = await openLedger(join(runDir, 'consoles'));
  const consoles = startConsoles({ engine, ledger, clock, random, log });
  stack.defer(() => consoles.close());
  const console = consoleOf(consoles);
  const usage = watchUsage({ store, engine, ingress, metrics, clock, log });
  stack.defer(() => usage.close());
  const parts = { state, node, console, garbage: room.port, metrics, usage, clock, random, logger: log };
  await startApi(settings, stack, parts);
}

/** Starts the data plane, or takes over what an earlier control plane has left running. */
async function startIngress(
  { httpListen: listen, httpsListen: listenTls, ingressWorkers: workers }: NodeSettings,
  stack: AsyncDisposableStack,
  { dataDir, runDir }: State,
  log: Logger,
): Promise<Ingress> {
  const stateDir = join(dataDir, 'ingress');
  const ingress = createIngress({ stateDir, runDir, listen, listenTls, workers, log }, { clock });
  await ingress.start();
  stack.defer(() => ingress.close());
  return ingress;
}

/** How a hostname is looked at, as the world sees it. */
function lookOf({ dnsServers, challengePort: port, fetchAllow: allow }: NodeSettings): Look {
  return createLook({ resolve: createResolve(dnsServers), fetch: guardedFetch, clock, port, allow });
}
