/** What replicas use, as a test says; summed up as a node does it. */
import type { WorkloadMetrics } from '../../api/ports.ts';
import { figuresOf, type Known } from '../../controllers/metrics/figures.ts';
import type { Sample } from '../../controllers/metrics/sample.ts';
import { changeBetween } from '../../controllers/metrics/sample.ts';
import { latencyBuckets } from '../../ingress/index.ts';

export class FakeMetrics implements WorkloadMetrics {
  readonly windowMs = 60_000;
  private readonly known = new Map<string, Known>();
  private newest: number | null = null;

  /** What was read of a replica at two moments. */
  sampled(replica: string, before: Sample, now: Sample): void {
    this.known.set(replica, { newest: now, change: changeBetween(before, now) });
    this.newest = now.at;
  }

  sampledAt(): string | null {
    return this.newest === null ? null : new Date(this.newest).toISOString();
  }

  figures(replicas: readonly string[]): ReturnType<WorkloadMetrics['figures']> {
    const all = replicas.flatMap((id) => {
      const known = this.known.get(id);
      return known ? [{ id, known }] : [];
    });
    return {
      each: new Map(all.map(({ id, known }) => [id, figuresOf([known], latencyBuckets)])),
      total: figuresOf(
        all.map(({ known }) => known),
        latencyBuckets,
      ),
    };
  }
}
