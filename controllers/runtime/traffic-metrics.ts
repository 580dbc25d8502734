/** What the ingress counted, in the Prometheus text format: read whenever it is rendered, by service and project. */
import { Counter, Gauge, type Metric, type Registry } from 'prom-client';
import { latencyBuckets, type ServiceTotals, type TrafficTotals } from '../../ingress/index.ts';

const labelNames = ['project', 'service'] as const;
type Label = (typeof labelNames)[number];

const counters: { name: string; help: string; of: (service: ServiceTotals) => number }[] = [
  {
    name: 'svc_ingress_requests_total',
    help: 'Requests that a replica got.',
    of: ({ total }) => total.requests,
  },
  {
    name: 'svc_ingress_errors_total',
    help: 'Answers of replicas with a status of 500 to 599.',
    of: ({ total }) => total.errors,
  },
  {
    name: 'svc_ingress_failed_total',
    help: 'Requests that a replica did not answer, or not to the end.',
    of: ({ total }) => total.failed,
  },
  {
    name: 'svc_ingress_aborted_total',
    help: "Requests that were cut at the deadline of their replica's drain.",
    of: ({ total }) => total.aborted,
  },
  {
    name: 'svc_ingress_gone_total',
    help: 'Requests whose client went away before there was an answer.',
    of: ({ total }) => total.gone,
  },
  {
    name: 'svc_ingress_unavailable_total',
    help: 'Requests that were refused because no replica was there.',
    of: ({ unavailable }) => unavailable,
  },
  {
    name: 'svc_ingress_parked_total',
    help: 'Requests that waited for a replica.',
    of: ({ parked }) => parked,
  },
  {
    name: 'svc_ingress_parked_rejected_total',
    help: 'Of these, over the bounds or not let go in time.',
    of: ({ parked_rejected: rejected }) => rejected,
  },
];

const gauges: typeof counters = [
  {
    name: 'svc_ingress_open',
    help: 'Requests under way, WebSockets included.',
    of: ({ total }) => total.open,
  },
  { name: 'svc_ingress_websockets', help: 'WebSockets under way.', of: ({ total }) => total.tunnels },
  { name: 'svc_ingress_waiting', help: 'Requests that wait for a replica.', of: ({ waiting }) => waiting },
];

/** @param read called for every rendering */
export function addTrafficMetrics(registry: Registry, read: () => TrafficTotals): void {
  const registers = [registry];
  for (const { name, help, of } of counters)
    new Counter({
      ...{ name, help, labelNames, registers },
      collect() {
        this.reset();
        // Two of one name, of which one is deleted, are one series.
        for (const service of Object.values(read().services)) this.inc(labelsOf(service), of(service));
      },
    });
  for (const { name, help, of } of gauges)
    new Gauge({
      ...{ name, help, labelNames, registers },
      collect() {
        this.reset();
        for (const service of Object.values(read().services)) this.inc(labelsOf(service), of(service));
      },
    });
  // The library's histograms take observations, and these are counted already.
  const histogram = { name: histogramName, get: () => Promise.resolve(latencies(read())) };
  registry.registerMetric(histogram as unknown as Metric);
}

const histogramName = 'svc_ingress_request_seconds';

/** One line of the output. */
interface Line {
  metricName: string;
  labels: Partial<Record<Label | 'le', string>>;
  value: number;
}

/** What the library asks of a metric when it renders. */
function latencies({ services }: TrafficTotals): {
  name: string;
  help: string;
  type: string;
  values: Line[];
} {
  const byName = Map.groupBy(Object.values(services), ({ project, name }) => `${project}/${name}`);
  return {
    name: histogramName,
    help: "Time from a request's sending to the head of the replica's answer.",
    type: 'histogram',
    values: [...byName.values()].flatMap((same) => linesOf(same)),
  };
}

/** Buckets are cumulative, and times in seconds. */
function linesOf(same: ServiceTotals[]): Line[] {
  const [first] = same;
  if (first === undefined) return [];
  const labels = labelsOf(first);
  const sum = (of: (service: ServiceTotals) => number): number =>
    same.reduce((total, service) => total + of(service), 0);
  const upTo = (bucket: number): number =>
    sum(({ total }) => total.latency.slice(0, bucket + 1).reduce((all, count) => all + count, 0));
  const count = upTo(latencyBuckets.length);
  return [
    ...latencyBuckets.map((ms, bucket) => ({
      metricName: `${histogramName}_bucket`,
      labels: { le: String(ms / 1_000), ...labels },
      value: upTo(bucket),
    })),
    { metricName: `${histogramName}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
    { metricName: `${histogramName}_sum`, labels, value: sum(({ total }) => total.latency_ms) / 1_000 },
    { metricName: `${histogramName}_count`, labels, value: count },
  ];
}

function labelsOf({ project, name }: ServiceTotals): Record<Label, string> {
  return { project, service: name };
}
