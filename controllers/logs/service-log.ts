/**
 * The logs of one service's replicas on disk: `<deployment>/<replica>/<first seq>.ndjson`. Numbers are microseconds of the
 * time of writing, so that they rise over all replicas of a service, over rotation and over restarts of the node.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkloadLogLine } from '../../specs/log-entry.ts';
import { surplus } from './bound.ts';
import { cutLine } from './cut.ts';
import { numbered } from './log-file.ts';
import { openRuns, type Runs, type RunStart } from './runs.ts';
import { openSegments, type Segments } from './segments.ts';

export interface ReplicaLog {
  replica: string;
  deployment: string;
  segments: Segments;
  runs: Runs;
}

/** Something to keep of a replica: a line, or the beginning of a run. */
export interface Entry {
  deployment: string;
  replica: string;
  kept: WorkloadLogLine | RunStart;
}

export interface LogBounds {
  /** Bytes of a file after which the next one begins. */
  segmentBytes: number;
  /** Bytes that are kept of a service. */
  serviceBytes: number;
  /** Milliseconds that a line is kept. */
  keepMs: number;
}

export interface ServiceLog {
  /** By replica. */
  logs: ReadonlyMap<string, ReplicaLog>;
  /** The highest number below which everything is written: readers go no further, so that resuming skips nothing. */
  readonly readable: number;
  /** One call at a time, also of what follows. */
  write(entries: readonly Entry[], now: number): Promise<void>;
  /** Drops what is over the bounds. @param isLive whether a replica is still followed */
  trim(now: number, isLive: (replica: string) => boolean): Promise<void>;
  removeDeployment(deployment: string): Promise<void>;
}

export async function openServiceLog(dir: string, bounds: LogBounds): Promise<ServiceLog> {
  const logs = new Map<string, ReplicaLog>();
  const open = async (deployment: string, replica: string): Promise<ReplicaLog> => {
    const at = join(dir, deployment, replica);
    const segments = await openSegments(at, bounds.segmentBytes);
    const log = { replica, deployment, segments, runs: await openRuns(at) };
    logs.set(replica, log);
    return log;
  };
  for (const deployment of await foldersIn(dir))
    for (const replica of await foldersIn(join(dir, deployment))) await open(deployment, replica);
  /** The highest number given. */
  let last = Math.max(0, ...[...logs.values()].map(({ segments }) => segments.last));
  let readable = last;

  return {
    logs,
    get readable() {
      return readable;
    },
    async write(entries, now) {
      const texts = new Map<ReplicaLog, { text: string; first: number; last: number }>();
      for (const { deployment, replica, kept } of entries) {
        const log = logs.get(replica) ?? (await open(deployment, replica));
        if ('run' in kept) await log.runs.add(kept);
        else {
          last = Math.max(last + 1, now * 1_000);
          const part = texts.get(log) ?? { text: '', first: last, last };
          part.text += numbered(last, { line: { ...kept, line: cutLine(kept.line) } });
          part.last = last;
          texts.set(log, part);
        }
      }
      for (const [{ segments }, { text, first, last: upTo }] of texts)
        await segments.write(text, first, upTo);
      readable = last;
    },
    async trim(now, isLive) {
      const kept = [...logs.values()].map(({ replica, segments }) => {
        return { replica, isLive: isLive(replica), files: segments.files() };
      });
      const limits = { bytes: bounds.serviceBytes, oldest: (now - bounds.keepMs) * 1_000 };
      for (const [replica, count] of surplus(kept, limits)) {
        const log = logs.get(replica);
        if (!log) continue;
        if (count < log.segments.files().length) await log.segments.drop(count);
        else {
          logs.delete(replica);
          await rm(join(dir, log.deployment, replica), { recursive: true, force: true });
        }
      }
    },
    async removeDeployment(deployment) {
      for (const [replica, log] of logs) if (log.deployment === deployment) logs.delete(replica);
      await rm(join(dir, deployment), { recursive: true, force: true });
    },
  };
}

/** None where there is no such folder. */
export async function foldersIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
