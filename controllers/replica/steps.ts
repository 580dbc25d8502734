/** The effects of a replica's plan. Each is idempotent: a pass that is cut off anywhere is mended by the next. */
import type { Row } from '../../specs/index.ts';
import type { Masks } from '../../specs/mask.ts';
import type { Store } from '../../api/store/store.ts';
import type { Vault } from '../../api/store/vault.ts';
import type { Engine } from '../engine/engine.ts';
import { containerOf, upstreamOf } from './place.ts';
import type { Observed } from './observe.ts';
import type { Prober } from './prober.ts';
import { openSecrets } from './secrets.ts';

export type Step =
  | { do: 'create' }
  | { do: 'start' }
  | { do: 'restart' }
  | { do: 'follow' }
  | { do: 'probe' }
  | { do: 'unprobe' }
  | { do: 'stop' }
  | { do: 'remove' };

/** Time between SIGTERM and SIGKILL. Milliseconds. */
const stopGraceMs = 10_000;

export interface StepDeps {
  store: Store;
  vault: Pick<Vault, 'open'>;
  engine: Pick<Engine, 'createReplica' | 'startReplica' | 'inspectReplica' | 'removeReplica'>;
  prober: Prober;
  /** Hide the project's secrets in what the workload and the engine say. */
  masks: Pick<Masks, 'text'>;
  nodeId: string;
  /** Directory of all replica sockets. */
  socketsDir: string;
  /** Makes (or empties) and removes the directory that a `listen: socket` workload owns. */
  sockets: { prepare: (replicaId: string) => Promise<void>; remove: (replicaId: string) => Promise<void> };
  /** Follows the container's output into the log files. Does nothing if it is being followed. */
  follow: (replica: Row<'Replica'>, container: string) => void;
  /** Takes what is left of its output and stops following. */
  unfollow: (replicaId: string) => Promise<void>;
  /** Stops a container in the background and wakes the replica when it has stopped. */
  stopSoon: (replicaId: string, container: string, graceMs: number) => void;
}

interface Scene {
  row: Row<'Replica'>;
  observed: Observed;
  /** Id of the container, once there is one. */
  container: string | null;
  /** Start of its current run. */
  startedAt: string | null;
}

type Executor = (scene: Scene, deps: StepDeps) => Promise<void> | void;

const executors: Record<Step['do'], Executor> = {
  create,
  start,
  restart: start,
  follow: ({ row, container }, deps) => {
    if (container !== null) deps.follow(row, container);
  },
  probe: ({ row, startedAt, observed: { deployment } }, { prober, socketsDir, masks }) => {
    if (!deployment || startedAt === null) return;
    const { listen, health } = deployment.spec.workload;
    const mask = (text: string): string => masks.text(row.spec.project_id, text);
    prober.ensure(row.id, { upstream: upstreamOf(row.id, listen, socketsDir), health, startedAt, mask });
  },
  unprobe: ({ row }, { prober }) => prober.drop(row.id),
  stop: ({ row, container }, deps) => {
    if (container !== null) deps.stopSoon(row.id, container, stopGraceMs);
  },
  remove,
};

/** @returns the container's id as it is now known */
export async function apply(
  steps: Step[],
  row: Row<'Replica'>,
  observed: Observed,
  deps: StepDeps,
  signal: AbortSignal,
): Promise<string | null> {
  const { id: container = null, startedAt = null } = observed.container ?? {};
  const scene: Scene = { row, observed, container, startedAt };
  for (const step of steps) {
    signal.throwIfAborted();
    await executors[step.do](scene, deps);
  }
  return scene.container;
}

/** Throws SecretUnavailableError before anything is made. */
async function create(scene: Scene, deps: StepDeps): Promise<void> {
  const { row, observed } = scene;
  const { deployment, service, project } = observed;
  const network = project?.status.network_name;
  if (!deployment || !service || !project || typeof network !== 'string')
    throw new Error('a replica needs its deployment, service, project and network');
  const family = { replica: row, deployment, service, project };
  const secrets = await openSecrets(family, deps.vault);
  // The engine wants it to be there when it is told of it.
  if (deployment.spec.workload.listen === 'socket') await deps.sockets.prepare(row.id);
  scene.container = await deps.engine.createReplica(containerOf(family, secrets, { network, ...deps }));
}

/** A run begins: when it did is what its probes are told from those of earlier runs by. */
async function start(scene: Scene, { engine, sockets }: StepDeps): Promise<void> {
  const { row, observed, container } = scene;
  if (container === null) return;
  // A reboot took it away, or an earlier run left something in it.
  if (observed.deployment?.spec.workload.listen === 'socket') await sockets.prepare(row.id);
  await engine.startReplica(container);
  scene.startedAt = (await engine.inspectReplica(container))?.startedAt ?? null;
}

async function remove({ row, container }: Scene, deps: StepDeps): Promise<void> {
  await deps.unfollow(row.id);
  if (container !== null) await deps.engine.removeReplica(container);
  await deps.sockets.remove(row.id);
  await deps.store.write((writer) => writer.purge('Replica', row.id), { lazy: true });
}
