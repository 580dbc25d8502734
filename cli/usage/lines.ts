/** What services and replicas use, as tables. Pure. */
import type { ReplicaMetrics, ServiceMetrics, WorkloadFigures } from '../../specs/metrics.ts';
import type { ServiceResource } from '../../specs/resources.ts';
import { shortReplica } from '../../specs/short-replica.ts';
import { lasted } from '../output/age.ts';
import { table, type Column } from '../output/table.ts';

export interface ServiceUsage {
  service: Pick<ServiceResource, 'project' | 'name'>;
  metrics: ServiceMetrics;
}

/** A line for each service, those that use most processor time first. */
export function serviceLines(usages: readonly ServiceUsage[]): string[] {
  const sorted = [...usages].sort((a, b) => cores(b.metrics.total) - cores(a.metrics.total));
  return table<ServiceUsage>(
    [
      { header: 'PROJECT', cell: ({ service }) => service.project },
      { header: 'NAME', cell: ({ service }) => service.name },
      { header: 'REPLICAS', cell: ({ metrics }) => String(metrics.replicas.length) },
      ...figureColumns(({ metrics }: ServiceUsage) => metrics.total),
    ],
    sorted,
  );
}

/** A line for each replica, and one for all of them where there are several. */
export function replicaLines({ replicas, total }: ServiceMetrics): string[] {
  const rows: Row[] = replicas.map((replica) => ({ figures: replica, replica }));
  if (replicas.length > 1) rows.push({ figures: total, replica: undefined });
  return table<Row>(
    [
      { header: 'REPLICA', cell: ({ replica }) => (replica ? shortReplica(replica.id) : 'all') },
      { header: 'PHASE', cell: ({ replica }) => replica?.phase ?? '' },
      { header: 'UP', cell: ({ replica }) => uptime(replica) },
      { header: 'RESTARTS', cell: ({ replica }) => (replica ? String(replica.restarts) : '') },
      ...figureColumns(({ figures }: Row) => figures),
    ],
    rows,
  );
}

interface Row {
  figures: WorkloadFigures;
  replica: ReplicaMetrics | undefined;
}

function figureColumns<T>(of: (item: T) => WorkloadFigures): Column<T>[] {
  const column = (header: string, cell: (figures: WorkloadFigures) => string): Column<T> => ({
    header,
    cell: (item) => cell(of(item)),
  });
  return [
    column('CPU', ({ cpu }) => known(cpu.cores, (value) => value.toFixed(2))),
    column('CPU%', ({ cpu }) => percent(cpu.cores, cpu.limit)),
    column('MEMORY', ({ memory }) => known(memory.bytes, bytes)),
    column('MEM%', ({ memory }) => percent(memory.bytes, memory.limit)),
    column('IN/S', ({ network }) => known(network.received_per_second, bytes)),
    column('OUT/S', ({ network }) => known(network.sent_per_second, bytes)),
    column('REQ/S', ({ requests }) => known(requests.per_second, rate)),
    column('ERR/S', ({ requests }) => known(requests.errors_per_second, rate)),
    column('P50', ({ requests }) => known(requests.latency_ms.p50, milliseconds)),
    column('P99', ({ requests }) => known(requests.latency_ms.p99, milliseconds)),
  ];
}

function cores({ cpu }: WorkloadFigures): number {
  return cpu.cores ?? -1;
}

function uptime(replica: ReplicaMetrics | undefined): string {
  const seconds = replica?.uptime_seconds ?? null;
  return seconds === null ? '' : lasted(seconds);
}

/** Nothing where it is not known: the table shows that. */
function known(value: number | null, text: (value: number) => string): string {
  return value === null ? '' : text(value);
}

function percent(used: number | null, limit: number | null): string {
  return used === null || limit === null || limit === 0 ? '' : `${Math.round((used / limit) * 100)}%`;
}

function rate(value: number): string {
  return value === 0 || value >= 100 ? String(Math.round(value)) : value.toFixed(1);
}

function milliseconds(value: number): string {
  if (value >= 10_000) return `${Math.round(value / 1_000)}s`;
  return value >= 10 ? `${Math.round(value)}ms` : `${value.toFixed(1)}ms`;
}

/** In powers of 1024, as manifests write them. */
function bytes(value: number): string {
  const units = ['B', 'Ki', 'Mi', 'Gi', 'Ti'];
  let [amount, unit] = [value, 0];
  while (amount >= 1024 && unit < units.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  return `${unit === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)}${units[unit] ?? ''}`;
}
