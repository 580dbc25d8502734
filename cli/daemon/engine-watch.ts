/**
 * Keeps an eye on the engine: its version and reachability for people, its events as hints for replicas and runs. A broken
 * event stream loses nothing: it is followed by a wake of every one.
 */
import type { Store } from '../../api/store/store.ts';
import type { Engine, EngineInfo, Labels } from '../../controllers/engine/engine.ts';
import type { Log } from '../../controllers/runtime/log.ts';
import type { Waker } from '../../controllers/runtime/reconciler.ts';
import type { Clock } from '../../specs/clock.ts';
import type { NodeResource } from '../../specs/resources.ts';

export interface EngineWatchDeps {
  engine: Pick<Engine, 'info' | 'events' | 'listReplicas'>;
  endpoint: string;
  nodeId: string;
  store: Pick<Store, 'list'>;
  waker: Waker;
  clock: Clock;
  log: Log;
}

export interface EngineWatch {
  /** As last seen. */
  state(): NodeResource['engine'];
  close(): Promise<void>;
}

/** Milliseconds between two questions whether it is there: while it is, and while it is not. */
const askInterval = { reachable: 10_000, lost: 1_000 };
/** Milliseconds from a broken event stream to the next try. */
const reconnectAfter = 1_000;

export function watchEngine(deps: EngineWatchDeps): EngineWatch {
  const { engine, endpoint, clock } = deps;
  const stop = new AbortController();
  let state: NodeResource['engine'] = { reachable: false, endpoint, version: null, message: 'not asked yet' };

  const note = (info: EngineInfo | undefined, error: unknown): void => {
    if (stop.signal.aborted) return;
    const message = error instanceof Error ? error.message : null;
    if (state.reachable && !info) deps.log.warn({ err: error }, 'the engine is out of reach');
    if (!state.reachable && info)
      deps.log.info({ endpoint, version: info.version, builder: info.builder }, 'the engine answers');
    state = { reachable: info !== undefined, endpoint, version: info?.version ?? state.version, message };
  };
  const ask = (): Promise<void> =>
    engine.info().then(
      (info) => note(info, null),
      (error: unknown) => note(undefined, error),
    );

  const asking = repeat(
    ask,
    () => (state.reachable ? askInterval.reachable : askInterval.lost),
    clock,
    stop.signal,
  );
  const following = repeat(
    () => follow(deps, stop.signal),
    () => reconnectAfter,
    clock,
    stop.signal,
  );
  return {
    state: () => state,
    async close() {
      stop.abort();
      await Promise.all([asking, following]);
    },
  };
}

async function follow(
  { engine, nodeId, store, waker, log }: EngineWatchDeps,
  signal: AbortSignal,
): Promise<void> {
  try {
    await engine.info();
    // It answers, perhaps again: what happened while nobody listened, and what failed for want of it and waits to try again.
    for (const { id } of await store.list('Project')) waker.wake('Project', id);
    for (const { id } of await store.list('Replica')) waker.wake('Replica', id);
    for (const { id } of await store.list('Run')) waker.wake('Run', id);
    // A container whose row is gone is a leftover: its controller removes it.
    for (const { labels } of await engine.listReplicas({ 'svc.node': nodeId })) wakeOwnerOf(labels, waker);
    for await (const event of engine.events({ 'svc.node': nodeId }, signal)) {
      if (event.image !== undefined) await wakeWithImage(event.image, { store, waker });
      else if (event.network === null) wakeOwnerOf(event.labels, waker);
      else await wakeInNetwork(event.network, event.container, { store, waker });
    }
  } catch (error) {
    if (!signal.aborted)
      log.debug({ err: error }, 'the event stream of the engine broke, following it again');
  }
}

function wakeOwnerOf(labels: Labels, waker: Waker): void {
  const replica = labels['svc.replica'];
  if (replica !== undefined) waker.wake('Replica', replica);
  const run = labels['svc.run'];
  if (run !== undefined) waker.wake('Run', run);
}

/** A network was made or removed, or a container connected to it or disconnected. */
async function wakeInNetwork(
  network: string,
  container: string | null,
  { store, waker }: Pick<EngineWatchDeps, 'store' | 'waker'>,
): Promise<void> {
  if (container === null) {
    for (const { id, status } of await store.list('Project'))
      if (status.network_name === network) waker.wake('Project', id);
    return;
  }
  for (const { id, status } of await store.list('Replica'))
    if (status.container === container) waker.wake('Replica', id);
  for (const { id, status } of await store.list('Run'))
    if (status.container === container) waker.wake('Run', id);
}

async function wakeWithImage(
  image: string,
  { store, waker }: Pick<EngineWatchDeps, 'store' | 'waker'>,
): Promise<void> {
  for (const { id, status } of await store.list('Deployment'))
    if (status.image === image) waker.wake('Deployment', id);
}

async function repeat(
  work: () => Promise<void>,
  pause: () => number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await work();
    await new Promise<void>((resolve) => {
      const done = (): void => {
        cancel();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const cancel = clock.after(pause(), done);
      if (signal.aborted) done();
      else signal.addEventListener('abort', done);
    });
  }
}
