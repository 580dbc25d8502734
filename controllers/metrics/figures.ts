/** Sums up what is known of one replica, or of several together. Pure. */
import type { WorkloadFigures } from '../../specs/metrics.ts';
import { percentile } from './percentile.ts';
import type { Change, Sample } from './sample.ts';

/** What is known of one replica. */
export interface Known {
  newest: Sample;
  /** Over the last minute, or what there is of it; undefined with one sample only. */
  change: Change | undefined;
}

/** @param bounds upper bounds of the latency buckets, in milliseconds */
export function figuresOf(all: readonly Known[], bounds: readonly number[]): WorkloadFigures {
  const stats = all.flatMap(({ newest }) => newest.stats ?? []);
  const running = all
    .filter(({ newest }) => newest.stats !== undefined)
    .flatMap(({ change }) => change ?? []);
  const changes = all.flatMap(({ change }) => change ?? []);
  const requests = all.flatMap(({ newest }) => newest.requests ?? []);
  const counts = bucketsOf(changes);
  const latency = (share: number): number | null => rounded(percentile(counts, bounds, share) ?? null, 2);
  return {
    cpu: { cores: rounded(perSecond(running, 'cpuSeconds'), 4), limit: null },
    memory: { bytes: sum(stats, 'memoryBytes'), limit: sum(stats, 'memoryLimitBytes') },
    network: {
      received_bytes: sum(stats, 'receivedBytes'),
      sent_bytes: sum(stats, 'sentBytes'),
      received_per_second: rounded(perSecond(running, 'receivedBytes'), 1),
      sent_per_second: rounded(perSecond(running, 'sentBytes'), 1),
    },
    pids: sum(stats, 'pids'),
    requests: {
      total: sum(requests, 'requests') ?? 0,
      errors: sum(requests, 'errors') ?? 0,
      failed: sum(requests, 'failed') ?? 0,
      open: sum(requests, 'open') ?? 0,
      per_second: rounded(perSecond(changes, 'requests'), 2),
      errors_per_second: rounded(added(perSecond(changes, 'errors'), perSecond(changes, 'failed')), 2),
      latency_ms: { p50: latency(0.5), p90: latency(0.9), p99: latency(0.99) },
    },
  };
}

/** Null when nothing is known of any; what is unknown of one (no limit) makes it unknown of all. */
function sum<K extends string>(items: readonly Record<K, number | null>[], name: K): number | null {
  if (items.length === 0) return null;
  return items.reduce<number | null>((total, { [name]: value }) => added(total, value), 0);
}

function added(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

function perSecond(
  changes: readonly Change[],
  name: Exclude<keyof Change, 'over' | 'latency'>,
): number | null {
  if (changes.length === 0) return null;
  return changes.reduce((total, change) => total + (change[name] * 1_000) / Math.max(1, change.over), 0);
}

function bucketsOf(changes: readonly Change[]): number[] {
  const counts: number[] = [];
  for (const { latency } of changes)
    for (const [bucket, count] of latency.entries()) counts[bucket] = (counts[bucket] ?? 0) + count;
  return counts;
}

function rounded<T extends number | null>(value: T, digits: number): T | number {
  return value === null ? value : Math.round(value * 10 ** digits) / 10 ** digits;
}
