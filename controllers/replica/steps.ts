/** The effects of a replica's plan. Each is idempotent: a pass that is cut off anywhere is mended by the next. */
import type { Row } from '../../specs/index.ts';
import type { Masks } from '../../specs/mask.ts';
import type { Store } from '../../api/store/store.ts';
import type { Vault } from '../../api/store/vault.ts';
import type { Mend } from '../drift/drift.ts';
import { mend, type MendEngine } from '../drift/mend.ts';
import type { Engine } from '../engine/engine.ts';
import { checkHostMounts, provideMounts, type MountDeps } from '../mounts/provide.ts';
import { openSecrets } from '../secrets/open.ts';
import { wantedOf } from './drift.ts';
import { containerOf, upstreamOf } from './place.ts';
import type { Observed } from './observe.ts';
import type { Prober } from './prober.ts';

export type Step =
  | { do: 'create' }
  | { do: 'start' }
  | { do: 'restart' }
  | Mend
  /** Has its service replace all of them, gate first, as a restart does. */
  | { do: 'renew' }
  | { do: 'follow' }
  | { do: 'probe' }
  | { do: 'unprobe' }
  | { do: 'stop' }
  /** Removes its container, and nothing else. */
  | { do: 'discard' }
  | { do: 'remove' };

/** Time between SIGTERM and SIGKILL. Milliseconds. */
const stopGraceMs = 10_000;

export interface StepDeps extends Pick<MountDeps, 'clock' | 'random' | 'hostPaths' | 'hostPathFault'> {
  store: Store;
  vault: Pick<Vault, 'open'>;
  engine: MountDeps['engine'] &
    Pick<Engine, 'createReplica' | 'startReplica' | 'inspectReplica' | 'removeReplica'> &
    MendEngine;
  prober: Prober;
  /** Hide the project's secrets in what the workload and the engine say. */
  masks: Pick<Masks, 'text'>;
  nodeId: string;
  /** Directory of all replica sockets. */
  socketsDir: string;
  /** Makes (or empties) and removes the directory that a `listen: socket` workload owns. */
  sockets: { prepare: (replicaId: string) => Promise<void>; remove: (replicaId: string) => Promise<void> };
  /**
   * Follows the container's output into the log files. Does nothing if it is being followed.
   * @param startedAt of the run that it is in
   */
  follow: (replica: Row<'Replica'>, container: string, startedAt: string | null) => void;
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

type Executors = {
  [K in Step['do']]: (scene: Scene, deps: StepDeps, step: Extract<Step, { do: K }>) => Promise<void> | void;
};

const executors: Executors = {
  create,
  start,
  restart: start,
  unpause: putRight,
  disconnect: putRight,
  connect: putRight,
  rename: putRight,
  limit: putRight,
  renew,
  follow: ({ row, container, startedAt }, deps) => {
    if (container !== null) deps.follow(row, container, startedAt);
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
  discard,
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
    // The map is exhaustive over Step['do']; TypeScript cannot see that key and argument belong together.
    const execute = executors[step.do] as (scene: Scene, deps: StepDeps, step: Step) => Promise<void> | void;
    await execute(scene, deps, step);
  }
  return scene.container;
}

/** Throws SecretUnavailableError and MountUnavailableError before a container is made. */
async function create(scene: Scene, deps: StepDeps): Promise<void> {
  const { row, observed } = scene;
  const { deployment, service, project } = observed;
  const network = project?.status.network_name;
  if (!deployment || !service || !project || typeof network !== 'string')
    throw new Error('a replica needs its deployment, service, project and network');
  const family = { replica: row, deployment, service, project };
  const { volumes = [], secrets: names } = deployment.spec.workload;
  const secrets = await openSecrets(names, family, deps.vault);
  const mounts = await provideMounts(volumes, family, deps);
  // The engine wants it to be there when it is told of it.
  if (deployment.spec.workload.listen === 'socket') await deps.sockets.prepare(row.id);
  scene.container = await deps.engine.createReplica(
    containerOf(family, secrets, { network, mounts, ...deps }),
  );
}

/** A run begins: when it did is what its probes are told from those of earlier runs by. Throws MountUnavailableError before. */
async function start(scene: Scene, deps: StepDeps): Promise<void> {
  const { row, observed, container } = scene;
  const { engine, sockets } = deps;
  if (container === null) return;
  const { deployment, project } = observed;
  if (deployment && project) checkHostMounts(deployment.spec.workload.volumes ?? [], { project }, deps);
  // A reboot took it away, or an earlier run left something in it.
  if (observed.deployment?.spec.workload.listen === 'socket') await sockets.prepare(row.id);
  await engine.startReplica(container);
  scene.startedAt = (await engine.inspectReplica(container))?.startedAt ?? null;
}

/** Throws LimitsRefusedError. */
async function putRight(
  { row, container, observed }: Scene,
  { engine }: StepDeps,
  step: Mend,
): Promise<void> {
  const wanted = wantedOf(row, observed);
  if (container !== null && wanted) await mend(step, container, wanted, engine);
}

/** Does nothing once somebody else has seen to it: another replica, or a person. */
function renew({ row }: Scene, { store }: StepDeps): Promise<void> {
  const { service_id: id, epoch } = row.spec;
  return store.write(async (writer) => {
    const service = await writer.get('Service', id);
    if (!service || service.deleted_at !== null || service.spec.rollout.epoch !== epoch) return;
    const rollout = { ...service.spec.rollout, epoch: epoch + 1 };
    await writer.updateSpec('Service', id, (before) => ({ ...before, rollout }));
  });
}

async function discard(scene: Scene, { engine, unfollow }: StepDeps): Promise<void> {
  await unfollow(scene.row.id);
  if (scene.container !== null) await engine.removeReplica(scene.container);
  scene.container = null;
}

async function remove({ row, container }: Scene, deps: StepDeps): Promise<void> {
  await deps.unfollow(row.id);
  if (container !== null) await deps.engine.removeReplica(container);
  await deps.sockets.remove(row.id);
  await deps.store.write((writer) => writer.purge('Replica', row.id), { lazy: true });
}
