/** Reads everything a pass over one deployment decides on. Reads only. */
import type { Ingress } from '../../ingress/index.ts';
import type { Row } from '../../specs/index.ts';
import type { Reader, Store } from '../../api/store/store.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineError } from '../engine/engine.ts';
import { imageTag } from '../engine/names.ts';
import type { Builds, BuildState } from '../build/builds.ts';
import { gateDeadline } from './gate.ts';

export interface ReplicaView {
  row: Row<'Replica'>;
  /** Last lines of its output; read only when a verdict may need them. */
  output: string[];
}

export interface Observed {
  service: Row<'Service'> | undefined;
  /** Living replicas of this deployment. */
  replicas: ReplicaView[];
  /** How many more there are that are on their way out. */
  leaving: number;
  /** The range of the project's addresses; null until there is one. */
  subnet: string | null;
  build: BuildState | undefined;
  /** The deployment whose image this one takes over, and that image if the engine has it. */
  base: Row<'Deployment'> | undefined;
  baseImage: string | undefined;
  /** The image, if the engine has it under this deployment's tag. Looked for only while there is none on record. */
  builtImage: string | undefined;
  /** Why the engine could not be asked. */
  engineError: string | undefined;
  /** Replica ids that every ingress worker routes this service to. */
  routed: readonly string[];
}

export interface ObserveDeps {
  store: Store;
  engine: Pick<Engine, 'findImage'>;
  ingress: Pick<Ingress, 'applied'>;
  builds: Pick<Builds, 'find'>;
  lastOutput: (replica: Row<'Replica'>) => Promise<string[]>;
}

export async function observe(row: Row<'Deployment'>, now: number, deps: ObserveDeps): Promise<Observed> {
  const { store } = deps;
  const [service, project, replicas, base] = await Promise.all([
    store.get('Service', row.spec.service_id),
    store.get('Project', row.spec.project_id),
    store.list('Replica', { owner: row.id }),
    row.spec.reuse === null ? undefined : store.get('Deployment', row.spec.reuse),
  ]);
  const living = replicas.filter((replica) => replica.deleted_at === null);
  const isOver = now >= gateDeadline(living, row, now);
  const build = deps.builds.find(row.id);
  const image = mayHaveImage(row) && build === undefined ? await findImages(row, base, deps) : {};
  return {
    service,
    replicas: await Promise.all(
      living.map(async (replica) => ({ row: replica, output: await outputOf(replica, row, isOver, deps) })),
    ),
    leaving: replicas.length - living.length,
    subnet: project?.status.subnet ?? null,
    build,
    builtImage: image.own,
    base,
    baseImage: image.base,
    engineError: image.error,
    routed: deps.ingress.applied()?.services[row.spec.service_id]?.replicas ?? [],
  };
}

/**
 * Whether what is wanted is still what was observed. A pass takes its time, and people change their minds: what it decided
 * must not stand against what they asked for meanwhile.
 */
export async function isCurrent(
  row: Row<'Deployment'>,
  { service }: Observed,
  reader: Reader,
): Promise<boolean> {
  const [deployment, now] = await Promise.all([
    reader.get('Deployment', row.id),
    reader.get('Service', row.spec.service_id),
  ]);
  return deployment?.generation === row.generation && now?.generation === service?.generation;
}

/** A build of an earlier control plane, which this one knows nothing of, may have come to its end. */
function mayHaveImage({ spec, status, deleted_at: deleted }: Row<'Deployment'>): boolean {
  return deleted === null && status.image === null && (status.building_at !== null || spec.reuse !== null);
}

/** The image under its own tag, else the one that it is to take over. */
async function findImages(
  row: Row<'Deployment'>,
  base: Row<'Deployment'> | undefined,
  { engine }: ObserveDeps,
): Promise<{ own?: string; base?: string; error?: string }> {
  try {
    const own = await engine.findImage(imageTag(row));
    if (own !== undefined) return { own };
    const image = base?.status.image ?? null;
    const found = image === null ? undefined : await engine.findImage(image);
    return found === undefined ? {} : { base: found };
  } catch (error) {
    // Out of reach is an observation, not a failure of the pass: the deadline must still end in a verdict.
    if (error instanceof EngineError && error.code === 'unavailable') return { error: error.message };
    throw error;
  }
}

/** Of one that a verdict may be spoken on now; to read it all the while would keep the engine from what it is waited for. */
async function outputOf(
  replica: Row<'Replica'>,
  row: Row<'Deployment'>,
  isOver: boolean,
  deps: ObserveDeps,
): Promise<string[]> {
  const gated = replica.spec.epoch !== row.status.epoch;
  const { phase, container } = replica.status;
  const failed = phase === 'Exited' || (isOver && phase !== 'Ready');
  return gated && failed && container !== null ? deps.lastOutput(replica) : [];
}
