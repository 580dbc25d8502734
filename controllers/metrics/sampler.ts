/**
 * Reads every few seconds what the replicas of this node use and what the ingress counted of them, and keeps the last
 * minute of it in memory. Whoever asks gets what was read last: asking costs the engine nothing.
 */
import type { Store } from '../../api/store/store.ts';
import type { Clock } from '../../specs/clock.ts';
import type { Row } from '../../specs/index.ts';
import type { WorkloadFigures } from '../../specs/metrics.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import type { Log } from '../runtime/log.ts';
import { figuresOf, type Known } from './figures.ts';
import { changeBetween, type RequestCounts, type Sample } from './sample.ts';

export interface SamplerDeps {
  store: Pick<Store, 'list'>;
  engine: Pick<Engine, 'replicaStats'>;
  /** What the ingress counted so far, by replica. */
  traffic: () => Readonly<Record<string, RequestCounts>>;
  /** Upper bounds of the buckets in which latencies are counted, in milliseconds. */
  latencyBounds: readonly number[];
  clock: Clock;
  log: Pick<Log, 'debug' | 'warn'>;
}

export interface ServiceUsage {
  project: string;
  service: string;
  figures: WorkloadFigures;
}

export interface Sampler {
  /** Of these replicas, each and together; those of which nothing is known are not in it. */
  figures(replicas: readonly string[]): {
    each: ReadonlyMap<string, WorkloadFigures>;
    total: WorkloadFigures;
  };
  /** Every service that has replicas, by its names. */
  services(): Promise<ServiceUsage[]>;
  /** RFC 3339 time of the newest sample; null before the first. */
  sampledAt(): string | null;
  /** Milliseconds that rates and latencies are taken over. */
  readonly windowMs: number;
  close(): Promise<void>;
}

/** Milliseconds between two samples, and what rates are taken over. */
const interval = 10_000;
const windowMs = 60_000;

type Series = Map<string, Sample[]>;

/** Begins with a sample now. One that fails is logged, and the next tries again. */
export function startSampler(deps: SamplerDeps): Sampler {
  const { store, clock, log, latencyBounds } = deps;
  const series: Series = new Map();
  let sampledAt: number | null = null;
  let closed = false;
  let cancel = (): void => undefined;
  let isAway = false;
  let pass = Promise.resolve();

  const run = (): void => {
    pass = sample(series, deps)
      .then(
        (at) => {
          sampledAt = at;
          isAway = false;
        },
        (err: unknown) => {
          // The engine watch says already that it is out of reach.
          const level = isAway || err instanceof EngineError ? 'debug' : 'warn';
          log[level]({ err }, 'what the workloads use could not be read; it is tried again');
          isAway = true;
        },
      )
      .then(() => {
        if (!closed) cancel = clock.after(interval, run);
      });
  };
  run();

  const knownOf = (replica: string): Known[] => {
    const samples = series.get(replica) ?? [];
    const [first, newest] = [samples[0], samples.at(-1)];
    if (!first || !newest) return [];
    return [{ newest, change: first === newest ? undefined : changeBetween(first, newest) }];
  };
  const togetherOf = (replicas: readonly string[]): WorkloadFigures =>
    figuresOf(replicas.flatMap(knownOf), latencyBounds);

  return {
    figures: (replicas) => ({
      each: new Map(
        replicas.flatMap((id) =>
          knownOf(id).map((known) => [id, figuresOf([known], latencyBounds)] as const),
        ),
      ),
      total: togetherOf(replicas),
    }),
    services: async () =>
      (await byService(store)).map(({ replicas, ...names }) => {
        return { ...names, figures: togetherOf(replicas) };
      }),
    sampledAt: () => (sampledAt === null ? null : new Date(sampledAt).toISOString()),
    windowMs,
    async close() {
      closed = true;
      cancel();
      await pass;
    },
  };
}

/** Adds a sample of every replica that there is, and forgets the others. @returns when it was taken */
async function sample(series: Series, { store, engine, traffic, clock }: SamplerDeps): Promise<number> {
  const replicas = await store.list('Replica');
  const containers = replicas.flatMap(({ status }) => (isRunning(status) ? [status.container] : []));
  const stats = await engine.replicaStats(containers.filter((id) => id !== null));
  const counted = traffic();
  const at = clock.now();
  const living = new Set(replicas.map(({ id }) => id));
  for (const id of series.keys()) if (!living.has(id)) series.delete(id);
  for (const { id, status } of replicas) {
    const known = series.get(id) ?? beginning(status, at);
    known.push({ at, stats: stats.get(status.container ?? ''), requests: counted[id] });
    const oldest = known.findIndex((one) => one.at >= at - windowMs);
    series.set(id, known.slice(Math.max(0, oldest)));
  }
  return at;
}

function isRunning({ phase }: Row<'Replica'>['status']): boolean {
  return phase === 'Starting' || phase === 'Ready';
}

/** Of one that started within the window it is known what it had used then: nothing. */
function beginning({ started_at: startedAt }: Row<'Replica'>['status'], now: number): Sample[] {
  const at = startedAt === null ? NaN : Date.parse(startedAt);
  if (!(at >= now - windowMs && at < now)) return [];
  const nothing = { cpuSeconds: 0, memoryBytes: 0, memoryLimitBytes: null, receivedBytes: 0, sentBytes: 0 };
  return [{ at, stats: { ...nothing, pids: 0 }, requests: undefined }];
}

async function byService(
  store: Pick<Store, 'list'>,
): Promise<{ project: string; service: string; replicas: string[] }[]> {
  const [projects, services, replicas] = await Promise.all([
    store.list('Project'),
    store.list('Service'),
    store.list('Replica'),
  ]);
  const projectNames = new Map(projects.map(({ id, name }) => [id, name]));
  const ofService = Map.groupBy(replicas, ({ spec }) => spec.service_id);
  return services.flatMap(({ id, name, owner, deleted_at: deletedAt }) => {
    const own = ofService.get(id);
    const project = projectNames.get(owner ?? '');
    if (!own || project === undefined || deletedAt !== null) return [];
    return [{ project, service: name, replicas: own.map((row) => row.id) }];
  });
}
