/** What workloads use, read in the background and shown to scrapers: per service, so that labels are bounded by what people made. */
import {
  startSampler,
  type Sampler,
  type SamplerDeps,
  type ServiceUsage,
} from '../../controllers/metrics/sampler.ts';
import type { Metrics } from '../../controllers/runtime/metrics.ts';
import { latencyBuckets, type Ingress } from '../../ingress/index.ts';

export interface UsageParts extends Omit<SamplerDeps, 'traffic' | 'latencyBounds'> {
  ingress: Pick<Ingress, 'traffic'>;
  metrics: Pick<Metrics, 'addGauge'>;
}

/** What scrapers see of a service; undefined where nothing is known. */
const gauges = {
  svc_service_cpu_cores: {
    help: 'Processors in use by the replicas of a service, on average over the last minute.',
    value: ({ cpu }: ServiceUsage['figures']) => cpu.cores,
  },
  svc_service_memory_bytes: {
    help: 'Memory in use by the replicas of a service, without cached files that can be dropped.',
    value: ({ memory }: ServiceUsage['figures']) => memory.bytes,
  },
} as const;

/** Begins now; to be closed. */
export function watchUsage({ ingress, metrics, ...deps }: UsageParts): Sampler {
  const sampler = startSampler({
    ...deps,
    traffic: () => ingress.traffic().replicas,
    latencyBounds: latencyBuckets,
  });
  for (const [name, { help, value }] of Object.entries(gauges)) {
    metrics.addGauge({
      ...{ name, help, labelNames: ['project', 'service'] },
      read: async () =>
        (await sampler.services()).flatMap(({ project, service, figures }) => {
          const found = value(figures);
          return found === null ? [] : [{ labels: { project, service }, value: found }];
        }),
    });
  }
  return sampler;
}
