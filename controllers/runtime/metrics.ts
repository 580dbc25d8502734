/**
 * What the controllers did, in the Prometheus text format. Each set of metrics has a registry of its own, and every
 * series is there from zero for every kind, so that a dashboard or an alert never misses one.
 */
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { TrafficTotals } from '../../ingress/index.ts';
import type { ControllerKind } from './reconciler.ts';
import { addTrafficMetrics } from './traffic-metrics.ts';

/** `aborted`: the node stopped. `requeue`: succeeded, and asked to be woken later. */
export const passResults = ['success', 'requeue', 'error', 'abandoned', 'aborted'] as const;
export type PassResult = (typeof passResults)[number];

/** The metrics of one kind. Durations are in milliseconds here and in seconds in the output. */
export interface KindMetrics {
  added(): void;
  waited(ms: number): void;
  retried(): void;
  passed(result: PassResult, ms: number): void;
  /** Asked for the depth of the queue whenever the metrics are rendered. */
  readDepth(depth: () => number): void;
}

/** Something read whenever the metrics are rendered. */
export interface GaugeSource {
  name: string;
  help: string;
  /** Bounded in what they can be. */
  labelNames: string[];
  read: () => Promise<{ labels: Record<string, string>; value: number }[]>;
}

export interface Metrics {
  of(kind: ControllerKind): KindMetrics;
  addGauge(source: GaugeSource): void;
  render(): Promise<{ contentType: string; body: string }>;
}

/** Waits and passes are mostly below a millisecond; a deadline is at most minutes. */
const buckets = [0.0001, 0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];

/**
 * @param options.process also the CPU, memory, file and event loop metrics of this process. The event loop is sampled
 *   once per second: at the library's own 10 ms that alone costs 0.3 % of a core.
 * @param options.traffic what the ingress counted, as it is now
 */
export function createMetrics(
  kinds: readonly ControllerKind[],
  options: { process?: boolean; traffic?: () => TrafficTotals } = {},
): Metrics {
  const registry = new Registry();
  if (options.process) collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 1_000 });
  if (options.traffic) addTrafficMetrics(registry, options.traffic);
  const depths = new Map<ControllerKind, () => number>();
  const collectors = define(registry, depths);
  const byKind = new Map(kinds.map((kind) => [kind, metricsOf(kind, collectors, depths)]));
  return {
    of(kind) {
      const metrics = byKind.get(kind);
      if (!metrics)
        throw new Error(`no metrics for ${kind}: name it among the kinds when the metrics are made`);
      return metrics;
    },
    addGauge: (source) => addGauge(registry, source),
    render: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}

function addGauge(registry: Registry, { name, help, labelNames, read }: GaugeSource): void {
  new Gauge({
    ...{ name, help, labelNames, registers: [registry] },
    async collect() {
      const found = await read();
      // What is no longer there must not keep its last figure.
      this.reset();
      for (const { labels, value } of found) this.set(labels, value);
    },
  });
}

type Collectors = ReturnType<typeof define>;

function define(registry: Registry, depths: ReadonlyMap<ControllerKind, () => number>) {
  const registers = [registry];
  const labelNames = ['kind'] as const;
  new Gauge({
    name: 'svc_workqueue_depth',
    help: 'Keys that wait for a slot.',
    labelNames,
    registers,
    collect() {
      for (const [kind, depth] of depths) this.set({ kind }, depth());
    },
  });
  return {
    adds: new Counter({
      name: 'svc_workqueue_adds_total',
      help: 'Keys that became ready; merged wakes do not count.',
      labelNames,
      registers,
    }),
    retries: new Counter({
      name: 'svc_workqueue_retries_total',
      help: 'Keys that are tried again with backoff.',
      labelNames,
      registers,
    }),
    waits: new Histogram({
      name: 'svc_workqueue_queue_seconds',
      help: 'Time from ready to the start of the pass.',
      labelNames,
      buckets,
      registers,
    }),
    works: new Histogram({
      name: 'svc_workqueue_work_seconds',
      help: 'Time that a pass takes, until it ends or is abandoned.',
      labelNames,
      buckets,
      registers,
    }),
    passes: new Counter({
      name: 'svc_controller_passes_total',
      help: 'Passes by their result.',
      labelNames: ['kind', 'result'] as const,
      registers,
    }),
    errors: new Counter({
      name: 'svc_controller_errors_total',
      help: 'Passes that threw or were abandoned.',
      labelNames,
      registers,
    }),
    abandoned: new Counter({
      name: 'svc_controller_abandoned_passes_total',
      help: 'Passes that were over their deadline.',
      labelNames,
      registers,
    }),
  };
}

function metricsOf(
  kind: ControllerKind,
  all: Collectors,
  depths: Map<ControllerKind, () => number>,
): KindMetrics {
  const labels = { kind };
  depths.set(kind, () => 0);
  all.waits.zero(labels);
  all.works.zero(labels);
  for (const counter of [all.adds, all.retries, all.errors, all.abandoned]) counter.inc(labels, 0);
  for (const result of passResults) all.passes.inc({ kind, result }, 0);
  return {
    added: () => all.adds.inc(labels),
    waited: (ms) => all.waits.observe(labels, ms / 1_000),
    retried: () => all.retries.inc(labels),
    passed(result, ms) {
      all.passes.inc({ kind, result });
      all.works.observe(labels, ms / 1_000);
      if (result === 'error' || result === 'abandoned') all.errors.inc(labels);
      if (result === 'abandoned') all.abandoned.inc(labels);
    },
    readDepth: (depth) => void depths.set(kind, depth),
  };
}
