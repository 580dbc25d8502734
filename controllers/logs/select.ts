/**
 * Picks what a reader asked for out of the logs of a service's replicas, and puts it into one order. What is kept comes in
 * the order in which it was printed, whenever it was copied; what follows a number comes in the order of numbers.
 */
import type { WorkloadLogLine } from '../../specs/log-entry.ts';
import { compareInstants, inNanoseconds, isAfter } from './instant.ts';
import type { Line } from './lines.ts';
import { merge } from './merge.ts';
import type { Runs } from './runs.ts';
import type { Segments } from './segments.ts';

export interface WorkloadLogItem {
  seq: number;
  line: WorkloadLogLine;
  /** Not asked for: it leads up to what was. */
  isLead?: true;
}

export interface WorkloadLogQuery {
  /** Only lines with a greater `seq`, in the order of those numbers. */
  after?: number;
  /** Only lines with at most this `seq`. */
  upTo?: number;
  /** Only lines of this time (RFC 3339) or later. */
  since?: string;
  /** Only the last so many of what is left. */
  tail?: number;
  /** Id of one replica. */
  replica?: string;
  /** Id of one deployment. */
  deployment?: string;
  /** Of each replica the run before its present one. */
  previous?: boolean;
  /** So many lines of each replica before its first one come first of all, marked as such. */
  lead?: number;
}

/** The log of one replica. */
export interface ReplicaLines {
  replica: string;
  deployment: string;
  segments: Pick<Segments, 'forward' | 'backward'>;
  runs: Pick<Runs, 'previous'>;
}

/** Milliseconds that the engine's clock may be ahead of ours, or step back by. */
const clockSkew = 60_000;

/** What of one replica is wanted. */
interface Part {
  log: ReplicaLines;
  after: number;
  upTo: number;
  isWanted: (item: WorkloadLogItem) => boolean;
  /** Whether nothing that follows it is wanted. */
  isBeyond: (item: WorkloadLogItem) => boolean;
}

/** @param readable number of the last line to read */
export async function* selectLines(
  logs: readonly ReplicaLines[],
  readable: number,
  query: WorkloadLogQuery,
): AsyncGenerator<WorkloadLogItem, void, undefined> {
  const { replica, deployment, tail, lead = 0 } = query;
  const asked = logs.filter(
    (log) =>
      (replica === undefined || log.replica === replica) &&
      (deployment === undefined || log.deployment === deployment),
  );
  let parts = asked.flatMap((log) => partOf(log, readable, query));
  if (tail !== undefined) parts = await lastOf(parts, tail);
  if (lead > 0) for (const part of parts) yield* leadUpTo(part, lead);
  yield* merge(
    parts.map((part) => oldestFirst(part)),
    query.after === undefined ? byTime : bySeq,
  );
}

/** @returns none where nothing of this replica is wanted */
function partOf(log: ReplicaLines, readable: number, query: WorkloadLogQuery): Part[] {
  const { after = 0, upTo = Infinity, since, previous } = query;
  const window = previous === true ? log.runs.previous() : undefined;
  if (previous === true && !window) return [];
  const from = latest(since, window?.from);
  const until = window && inNanoseconds(window.until);
  // A line is numbered when it is written, which is not before it was printed.
  const sinceSeq = from === undefined ? 0 : (Date.parse(from) - clockSkew) * 1_000;
  return [
    {
      log,
      after: Math.max(after, sinceSeq),
      upTo: Math.min(readable, upTo),
      isWanted: ({ line: { at } }) =>
        (from === undefined || !isAfter(from, at)) && (until === undefined || isAfter(until, at)),
      isBeyond: ({ line: { at } }) => until !== undefined && Date.parse(at) > Date.parse(until) + clockSkew,
    },
  ];
}

function latest(...times: (string | undefined)[]): string | undefined {
  return times
    .flatMap((time) => (time === undefined ? [] : [inNanoseconds(time)]))
    .sort()
    .at(-1);
}

/** The same parts from where their share of the last `count` lines of all begins. Holds none of the lines. */
async function lastOf(parts: readonly Part[], count: number): Promise<Part[]> {
  const firsts = new Map<Part, number>();
  let left = count;
  const newest = merge(
    parts.map((part) => newestFirst(part)),
    (a, b) => byTime(b.item, a.item),
  );
  for await (const { part, item } of newest) {
    if (left-- <= 0) break;
    firsts.set(part, item.seq);
  }
  return parts.map((part) => ({ ...part, after: (firsts.get(part) ?? Infinity) - 1 }));
}

/** What its replica printed before the first line of the part, oldest first. */
async function* leadUpTo(part: Part, count: number): AsyncGenerator<WorkloadLogItem, void, undefined> {
  let first = part.upTo + 1;
  for await (const { seq } of oldestFirst(part)) {
    first = seq;
    break;
  }
  const lead: WorkloadLogItem[] = [];
  for await (const line of part.log.segments.backward()) {
    if (line.seq >= first) continue;
    if (lead.push({ ...printedIn(line), isLead: true }) >= count) break;
  }
  yield* lead.reverse();
}

async function* oldestFirst({
  log,
  after,
  upTo,
  isWanted,
  isBeyond,
}: Part): AsyncGenerator<WorkloadLogItem, void> {
  for await (const line of log.segments.forward(after)) {
    if (line.seq > upTo) return;
    const item = printedIn(line);
    if (isBeyond(item)) return;
    if (isWanted(item)) yield item;
  }
}

async function* newestFirst(part: Part): AsyncGenerator<{ part: Part; item: WorkloadLogItem }, void> {
  const { log, after, upTo, isWanted } = part;
  for await (const line of log.segments.backward()) {
    if (line.seq <= after) return;
    if (line.seq > upTo) continue;
    const item = printedIn(line);
    if (isWanted(item)) yield { part, item };
  }
}

function byTime(a: WorkloadLogItem, b: WorkloadLogItem): number {
  return compareInstants(a.line.at, b.line.at) || bySeq(a, b);
}

function bySeq(a: WorkloadLogItem, b: WorkloadLogItem): number {
  return a.seq - b.seq;
}

export function printedIn({ bytes }: Line): WorkloadLogItem {
  return JSON.parse(bytes.toString()) as WorkloadLogItem;
}
