/** What workloads use and answer: now, and over the last minute. */
import { Type, type Static } from '@sinclair/typebox';
import { ReplicaPhase } from './replica.ts';

const nullableNumber = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

/** Of answers: from the request's sending to the head of its answer. */
export const Latency = Type.Object(
  {
    p50: nullableNumber('half of the answers came within so many milliseconds; null without any'),
    p90: nullableNumber('nine of ten did'),
    p99: nullableNumber('99 of 100 did'),
  },
  { description: 'milliseconds to the head of an answer, over the window; estimated from buckets' },
);
export type Latency = Static<typeof Latency>;

/** Figures of a replica, or of several together. Null: not known (yet). */
export const WorkloadFigures = Type.Object({
  cpu: Type.Object({
    cores: nullableNumber('processors in use, on average over the window'),
    limit: nullableNumber('processors that it may use'),
  }),
  memory: Type.Object({
    bytes: nullableNumber('in use now, without cached files that can be dropped'),
    limit: nullableNumber('bytes that it may use'),
  }),
  network: Type.Object({
    received_bytes: nullableNumber('since the container started'),
    sent_bytes: nullableNumber('since the container started'),
    received_per_second: nullableNumber('bytes, on average over the window'),
    sent_per_second: nullableNumber('bytes, on average over the window'),
  }),
  pids: nullableNumber('processes and threads'),
  requests: Type.Object({
    total: count('that the ingress passed on, as long as it has counted'),
    errors: count('of these: answered with a status of 500 to 599'),
    failed: count('of these: without an answer, or with one that broke off'),
    open: count('under way now'),
    per_second: nullableNumber('on average over the window'),
    errors_per_second: nullableNumber('answers of 500 to 599 and failed ones, on average over the window'),
    latency_ms: Latency,
  }),
});
export type WorkloadFigures = Static<typeof WorkloadFigures>;

export const ReplicaMetrics = Type.Composite([
  Type.Object({
    id: Type.String(),
    deployment_id: Type.String(),
    index: Type.Integer(),
    phase: ReplicaPhase,
    restarts: count('how often it was started again'),
    uptime_seconds: nullableNumber('since its last start; null while it does not run'),
  }),
  WorkloadFigures,
]);
export type ReplicaMetrics = Static<typeof ReplicaMetrics>;

export const ServiceMetrics = Type.Object({
  service_id: Type.String(),
  sampled_at: Type.Union([Type.String(), Type.Null()], {
    description: 'of the newest sample; null before the first',
  }),
  window_seconds: Type.Number({ description: 'what rates and latencies are taken over' }),
  total: WorkloadFigures,
  replicas: Type.Array(ReplicaMetrics, { description: 'those that use most processor time first' }),
});
export type ServiceMetrics = Static<typeof ServiceMetrics>;
