/** Picks what a reader asked for out of the logs of a service's deployments. */
import type { WorkloadLogLine } from '../../specs/log-entry.ts';
import type { Line } from './lines.ts';
import { merge } from './merge.ts';
import type { Segments } from './segments.ts';

export interface WorkloadLogQuery {
  /** Only lines with a greater `seq`. */
  after?: number;
  /** Only lines with at most this `seq`. */
  upTo?: number;
  /** Only lines of this time (RFC 3339) or later. */
  since?: string;
  /** Only the last so many of what is left. */
  tail?: number;
  /** Id of one replica. */
  replica?: string;
}

export interface WorkloadLogItem {
  seq: number;
  line: WorkloadLogLine;
}

/** Milliseconds that the engine's clock may be ahead of ours. */
const clockSkew = 60_000;

/** @param readable number of the last line to read */
export async function* selectLines(
  logs: readonly Segments[],
  readable: number,
  query: WorkloadLogQuery,
): AsyncGenerator<WorkloadLogItem, void, undefined> {
  const upTo = Math.min(readable, query.upTo ?? Infinity);
  const since = query.since === undefined ? -Infinity : Date.parse(query.since);
  // A line is numbered when it is written, which is not before it was printed.
  const after = Math.max(query.after ?? 0, (since - clockSkew) * 1_000);
  const wanted = ({ line }: WorkloadLogItem): boolean =>
    (query.replica === undefined || line.replica === query.replica) && Date.parse(line.at) >= since;
  if (query.tail !== undefined) {
    yield* (await lastLines(logs, { after, upTo, wanted }, query.tail)).reverse();
    return;
  }
  for await (const line of merge(
    logs.map((log) => log.forward(after)),
    1,
  )) {
    if (line.seq > upTo) return;
    const item = toItem(line);
    if (wanted(item)) yield item;
  }
}

interface Range {
  after: number;
  upTo: number;
  wanted: (item: WorkloadLogItem) => boolean;
}

/** Newest first. */
async function lastLines(
  logs: readonly Segments[],
  { after, upTo, wanted }: Range,
  count: number,
): Promise<WorkloadLogItem[]> {
  const items: WorkloadLogItem[] = [];
  for await (const line of merge(
    logs.map((log) => log.backward()),
    -1,
  )) {
    if (line.seq <= after || items.length >= count) break;
    const item = toItem(line);
    if (line.seq <= upTo && wanted(item)) items.push(item);
  }
  return items;
}

function toItem({ bytes }: Line): WorkloadLogItem {
  return JSON.parse(bytes.toString()) as WorkloadLogItem;
}
