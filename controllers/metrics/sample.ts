/** What was read of a replica at one moment, and what became of it between two. Pure. */
import type { ReplicaStats } from '../engine/engine.ts';

/** Of the requests that the ingress passed to a replica: counters that rise, and `open`. */
export interface RequestCounts {
  requests: number;
  errors: number;
  failed: number;
  open: number;
  /** Answers per latency bucket. */
  latency: readonly number[];
}

export interface Sample {
  /** Milliseconds since the epoch. */
  at: number;
  /** undefined: it did not run, or the engine did not say. */
  stats: ReplicaStats | undefined;
  /** undefined: the ingress knows nothing of it. */
  requests: RequestCounts | undefined;
}

/** What happened in a stretch of time. */
export interface Change {
  /** Milliseconds. */
  over: number;
  cpuSeconds: number;
  receivedBytes: number;
  sentBytes: number;
  requests: number;
  errors: number;
  failed: number;
  latency: readonly number[];
}

/** How far a counter rose. One that is lower than before began at zero again, as Prometheus takes it: a new run, a new ingress. */
export function risen(before: number, now: number): number {
  return now >= before ? now - before : now;
}

/** What became of a replica from one sample to a later one; of those that know nothing, nothing. */
export function changeBetween(before: Sample, now: Sample): Change {
  const stats = (name: 'cpuSeconds' | 'receivedBytes' | 'sentBytes'): number =>
    before.stats && now.stats ? risen(before.stats[name], now.stats[name]) : 0;
  const counted = (name: 'requests' | 'errors' | 'failed'): number =>
    risen(before.requests?.[name] ?? 0, now.requests?.[name] ?? 0);
  return {
    over: now.at - before.at,
    cpuSeconds: stats('cpuSeconds'),
    receivedBytes: stats('receivedBytes'),
    sentBytes: stats('sentBytes'),
    requests: counted('requests'),
    errors: counted('errors'),
    failed: counted('failed'),
    latency: (now.requests?.latency ?? []).map((count, bucket) =>
      risen(before.requests?.latency[bucket] ?? 0, count),
    ),
  };
}
