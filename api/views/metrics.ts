/** What the replicas of a service use, with what is on record of each. */
import type { Row } from '../../specs/index.ts';
import type { ReplicaMetrics, ServiceMetrics, WorkloadFigures } from '../../specs/metrics.ts';
import type { WorkloadMetrics } from '../ports.ts';
import type { Reader } from '../store/store.ts';

/** @param now milliseconds since the epoch */
export async function readServiceMetrics(
  store: Reader,
  service: Row<'Service'>,
  metrics: WorkloadMetrics,
  now: number,
): Promise<ServiceMetrics> {
  const deployments = await store.list('Deployment', { owner: service.id });
  const replicas = await Promise.all(
    deployments.map(async (deployment) =>
      (await store.list('Replica', { owner: deployment.id })).map((row) => ({ row, deployment })),
    ),
  ).then((lists) => lists.flat());
  const { each, total } = metrics.figures(replicas.map(({ row }) => row.id));
  const nothing = metrics.figures([]).total;
  const items = replicas.map(({ row, deployment }) =>
    replicaMetrics(row, deployment.spec.workload.resources.cpus, each.get(row.id) ?? nothing, now),
  );
  const cpus = items.reduce((sum, { cpu }) => sum + (cpu.limit ?? 0), 0);
  return {
    service_id: service.id,
    sampled_at: metrics.sampledAt(),
    window_seconds: metrics.windowMs / 1_000,
    total: { ...total, cpu: { ...total.cpu, limit: items.length === 0 ? null : cpus } },
    replicas: items.sort((a, b) => (b.cpu.cores ?? -1) - (a.cpu.cores ?? -1)),
  };
}

function replicaMetrics(
  { id, spec, status }: Row<'Replica'>,
  cpus: number,
  figures: WorkloadFigures,
  now: number,
): ReplicaMetrics {
  const { phase, restarts, started_at: startedAt } = status;
  const isUp = startedAt !== null && (phase === 'Starting' || phase === 'Ready');
  return {
    ...{ id, deployment_id: spec.deployment_id, index: spec.index, phase, restarts },
    uptime_seconds: isUp ? Math.max(0, Math.round((now - Date.parse(startedAt)) / 1_000)) : null,
    ...figures,
    cpu: { ...figures.cpu, limit: cpus },
  };
}
