/**
 * What a worker counts, and how the counts of several are added up. Counters only rise while whoever counts lives; the
 * control plane must bear one that begins at zero again, as a Prometheus counter does. Pure.
 */

/** Upper bounds in milliseconds, inclusive; what takes longer than the last is in one more bucket. */
export const latencyBuckets = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 60_000,
] as const;

/**
 * Of one replica. A request is one that the replica got; it had no answer yet, or is in exactly one of `answered`, `retried`,
 * `gone`, or `failed` and `aborted` before an answer. One that is answered may fail or be aborted later still.
 */
export interface Traffic {
  requests: number;
  /** The head of an answer came, or the connection became a WebSocket. */
  answered: number;
  /** Answers of the replica's own with a status of 500 to 599. */
  errors: number;
  /** No answer, or one that broke off: the client saw it fail. */
  failed: number;
  /** Cut by the ingress at a drain's deadline. */
  aborted: number;
  /** No answer, but it could be asked elsewhere: the client saw nothing of it. */
  retried: number;
  /** The client went away before there was an answer. */
  gone: number;
  /** Streams that the ingress asked to end, in a drain, and that did: WebSockets and events. */
  closed: number;
  /** Under way now, WebSockets included. */
  open: number;
  /** WebSockets under way now. */
  tunnels: number;
  /** From the request's sending to the head of its answer: answers per bucket of `latencyBuckets`, and one more. */
  latency: number[];
  /** Milliseconds, of all answers together. */
  latency_ms: number;
  /** Milliseconds. */
  longest_ms: number;
}

/** Of one service: what no replica of it knows. */
export interface ServiceTraffic {
  /** Answered 503 or 502 by the ingress because no replica was there to take the request. */
  unavailable: number;
  /** Requests that had to wait for a replica. */
  parked: number;
  /** Of these: over the bounds, or not let go in time. They are among `unavailable`. */
  parked_rejected: number;
  /** Milliseconds, since requests of this service began to be parked the last time. */
  parked_longest_ms: number;
  /** Waiting now. */
  waiting: number;
}

/** Figures since a worker started, of what changed since it told last. Ids of replicas and of services. */
export interface TrafficChanges {
  replicas: Record<string, Traffic>;
  services: Record<string, ServiceTraffic>;
}

/** A service, its workers taken together. */
export interface ServiceTotals extends ServiceTraffic {
  name: string;
  project: string;
  /** All its replicas together, those that are gone too. */
  total: Traffic;
}

/** What the control plane knows of all traffic. */
export interface TrafficTotals {
  replicas: Record<string, Traffic>;
  services: Record<string, ServiceTotals>;
}

export function noTraffic(): Traffic {
  return {
    ...{ requests: 0, answered: 0, errors: 0, failed: 0, aborted: 0, retried: 0, gone: 0, closed: 0 },
    ...{ open: 0, tunnels: 0, latency: Array<number>(latencyBuckets.length + 1).fill(0) },
    ...{ latency_ms: 0, longest_ms: 0 },
  };
}

export function noServiceTraffic(): ServiceTraffic {
  return { unavailable: 0, parked: 0, parked_rejected: 0, parked_longest_ms: 0, waiting: 0 };
}

export function addTraffic(into: Traffic, from: Traffic): void {
  // Not by the names in `from`, which may be what a member made up.
  const { latency, longest_ms, ...counts } = into;
  for (const name of Object.keys(counts) as (keyof typeof counts)[]) into[name] += from[name];
  for (const [bucket, count] of latency.entries()) into.latency[bucket] = count + (from.latency[bucket] ?? 0);
  into.longest_ms = Math.max(longest_ms, from.longest_ms);
}

export function addServiceTraffic(into: ServiceTraffic, from: ServiceTraffic): void {
  const { parked_longest_ms: longest, ...counts } = into;
  for (const name of Object.keys(counts) as (keyof typeof counts)[]) into[name] += from[name];
  into.parked_longest_ms = Math.max(longest, from.parked_longest_ms);
}

/** The bucket of `Traffic.latency` that so many milliseconds belong to. */
export function bucketOf(ms: number): number {
  let bucket = 0;
  while (bucket < latencyBuckets.length && ms > (latencyBuckets[bucket] ?? 0)) bucket += 1;
  return bucket;
}

/** Whether it has that form: what a member says is less trusted than who adds it up. */
export function isTrafficChanges(value: Record<string, unknown>): boolean {
  return isTable(value['replicas'], noTraffic()) && isTable(value['services'], noServiceTraffic());
}

function isTable(value: unknown, example: object): boolean {
  return isRecord(value) && Object.values(value).every((entry) => isLike(entry, example));
}

function isLike(value: unknown, example: object): boolean {
  if (!isRecord(value)) return false;
  return Object.entries(example).every(([name, wanted]) => {
    const found = value[name];
    if (!Array.isArray(wanted)) return isFigure(found);
    return Array.isArray(found) && found.length === wanted.length && found.every(isFigure);
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isFigure(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
