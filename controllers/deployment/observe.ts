/** Reads everything a pass over one deployment decides on. Reads only. */
import type { Ingress, TrafficTotals } from '../../ingress/index.ts';
import type { Row } from '../../specs/index.ts';
import { isOver } from '../../specs/job.ts';
import { isStopFirst } from '../../specs/stop-first.ts';
import type { Reader, Store } from '../../api/store/store.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineError } from '../engine/engine.ts';
import { imageTag } from '../engine/names.ts';
import type { Builds, BuildState } from '../build/builds.ts';
import { gateDeadline } from './gate.ts';
import { ownOf } from './own.ts';
import { siblingsOf } from './siblings.ts';

export interface ReplicaView {
  row: Row<'Replica'>;
  /** Last lines of its output; read only when a verdict may need them. */
  output: string[];
}

export interface ReleaseJob {
  job: Row<'Job'>;
  /** Its run for this deployment; undefined before there is one. */
  run: Row<'Run'> | undefined;
  /** The last lines of a run that did not succeed. */
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
  /** The engine no longer has the image that it could be rolled back to. */
  imageLost?: boolean;
  /** Why the engine could not be asked. */
  engineError: string | undefined;
  /** Living release jobs of its service. Read only while they may have to run, or to be stopped. */
  releaseJobs: ReleaseJob[];
  /** Replicas of its service, those on their way out as well. Read only where two versions must not run at once. */
  siblings: Row<'Replica'>[];
  /** The deployment that its service asks for, if that is another one. Read as `siblings` is. */
  target: Row<'Deployment'> | undefined;
  /** Replica ids that every ingress worker routes this service to. */
  routed: readonly string[];
  /** Living replicas of the deployment that stands by while this one is watched. */
  warm: Row<'Replica'>[];
  /** What the ingress counted. Read only while it is needed: of a receipt that is open, or while it is watched. */
  traffic: TrafficTotals | undefined;
  /** Whether the replicas that this one took over from have finished their requests. */
  drained: boolean;
  /** Whether its own replicas have: nobody routes to any. */
  isIdle: boolean;
}

export interface ObserveDeps {
  store: Store;
  engine: Pick<Engine, 'findImage'>;
  ingress: Pick<Ingress, 'applied' | 'isRouted' | 'isIdle' | 'traffic'>;
  builds: Pick<Builds, 'find'>;
  lastOutput: (replica: Row<'Replica'>) => Promise<string[]>;
  /** The last lines that a run printed, without secrets. */
  lastLines: (run: Row<'Run'>) => Promise<string[]>;
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
    imageLost: await isImageLost(row, deps),
    base,
    baseImage: image.base,
    engineError: image.error,
    releaseJobs: row.status.promoted_at === null ? await releaseJobsOf(row, deps) : [],
    routed: deps.ingress.applied()?.services[row.spec.service_id]?.replicas ?? [],
    ...(await takeoverOf(row, service, living, deps)),
    ...(await handOverOf(row, service, living, store)),
  };
}

async function takeoverOf(
  { id, status: { takeover } }: Row<'Deployment'>,
  service: Row<'Service'> | undefined,
  living: readonly Row<'Replica'>[],
  { store, ingress }: ObserveDeps,
): Promise<Pick<Observed, 'warm' | 'traffic' | 'drained' | 'isIdle'>> {
  const bake = service?.status.bake?.deployment === id ? service.status.bake : null;
  const isDone = (replica: string): boolean => ingress.isIdle(replica) && !ingress.isRouted(replica);
  const own = takeover ? ownOf(takeover, living) : [];
  const standingBy = bake ? await store.list('Replica', { owner: bake.previous }) : [];
  return {
    warm: standingBy.filter((replica) => replica.deleted_at === null),
    traffic: bake || takeover ? ingress.traffic() : undefined,
    drained: (takeover?.replaced ?? []).every(isDone),
    isIdle: own.every(isDone),
  };
}

async function handOverOf(
  { id, spec }: Row<'Deployment'>,
  service: Row<'Service'> | undefined,
  own: readonly Row<'Replica'>[],
  reader: Reader,
): Promise<Pick<Observed, 'siblings' | 'target'>> {
  if (!service) return { siblings: [], target: undefined };
  const isParked =
    service.status.parked_since !== null || own.some((row) => row.spec.paused_at !== undefined);
  const isConcerned = isParked || isStopFirst(service.spec.release, spec.workload);
  const { target } = service.spec.rollout;
  return {
    siblings: isConcerned ? await siblingsOf(service, reader) : [],
    target:
      isConcerned && target !== null && target !== id ? await reader.get('Deployment', target) : undefined,
  };
}

async function releaseJobsOf(
  { id, spec }: Row<'Deployment'>,
  { store, lastLines }: ObserveDeps,
): Promise<ReleaseJob[]> {
  const jobs = await store.list('Job', { owner: spec.project_id });
  const own = jobs.filter(
    (job) => job.spec.release && job.spec.service_id === spec.service_id && job.deleted_at === null,
  );
  return Promise.all(
    own.map(async (job) => {
      const run = await store.find('Run', job.id, id);
      const isLost = run !== undefined && isOver(run.status.phase) && run.status.phase !== 'Succeeded';
      return { job, run, output: isLost ? await lastLines(run) : [] };
    }),
  );
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

/** Of one that rests. While it runs, its containers have the image, and the engine keeps it. */
async function isImageLost(
  { status, deleted_at: deleted }: Row<'Deployment'>,
  { engine }: ObserveDeps,
): Promise<boolean> {
  const { phase, image } = status;
  if (deleted !== null || image === null || (phase !== 'Inactive' && phase !== 'Stopped')) return false;
  try {
    return (await engine.findImage(image)) === undefined;
  } catch (error) {
    if (error instanceof EngineError && error.code === 'unavailable') return false;
    throw error;
  }
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
