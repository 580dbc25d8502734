/**
 * What workloads printed, kept beyond their containers: per service, in files per deployment. Numbers are microseconds of the
 * time of writing, so that they rise over all deployments of a service, over rotation and over restarts of the node.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../specs/clock.ts';
import type { WorkloadLogLine } from '../../specs/log-entry.ts';
import { leadLines } from '../../specs/mask.ts';
import type { Log } from '../runtime/log.ts';
import { createBatcher, type Batcher } from './batcher.ts';
import { cutLine } from './cut.ts';
import { lazily } from './lazily.ts';
import type { Line } from './lines.ts';
import { listeners } from './listeners.ts';
import { numbered } from './log-file.ts';
import { openSegments, type SegmentLimits, type Segments } from './segments.ts';
import { selectLines, type WorkloadLogItem, type WorkloadLogQuery } from './select.ts';

export interface LastLines {
  /** The engine's time of the last line. */
  at: string;
  /** How many of the last lines have that time. */
  count: number;
  /** The engine's time of a line some way before, to begin to read from. */
  lead: string;
}

export interface WorkloadLogs {
  /** In order; written at once in the background. What cannot be written is reported to the node's log, and to flush(). */
  append: (serviceId: string, deploymentId: string, line: WorkloadLogLine) => void;
  /** Resolves when everything appended before can be read. Rejects with what kept it from being written. */
  flush: (serviceId: string) => Promise<void>;
  /** Lines of all deployments of a service, oldest first, up to the end of what is there. */
  read: (serviceId: string, query: WorkloadLogQuery) => AsyncIterable<WorkloadLogItem>;
  /** Calls back after lines of a service were written. @returns unsubscribe */
  onAppend: (serviceId: string, listener: () => void) => () => void;
  /** Where the output of a replica was left; undefined when none of it is kept. */
  lastAt: (serviceId: string, deploymentId: string, replica: string) => Promise<LastLines | undefined>;
  remove: (serviceId: string, deploymentId: string) => Promise<void>;
  /** Removes what is kept of a service; nothing of it is written any more. */
  removeAll: (serviceId: string) => Promise<void>;
  /** Writes what waits. */
  close: () => Promise<void>;
}

export interface WorkloadLogsOptions extends Partial<SegmentLimits> {
  dir: string;
  clock: Clock;
  log: Pick<Log, 'error'>;
}

interface Pending {
  deploymentId: string;
  line: WorkloadLogLine;
}

/** The logs of one service. */
interface ServiceLog {
  /** By deployment. */
  segments: Map<string, Segments>;
  /** The highest number given. */
  last: number;
  /** The highest number below which everything is written: readers go no further, so that resuming skips nothing. */
  readable: number;
}

export async function openWorkloadLogs(options: WorkloadLogsOptions): Promise<WorkloadLogs> {
  const { dir, clock, log, segmentBytes = 10 * 2 ** 20, segments = 5 } = options;
  const limits = { segmentBytes, segments };
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const services = new Map<string, { state: () => Promise<ServiceLog>; batcher: Batcher<Pending> }>();
  const waiting = listeners();

  const serviceOf = (id: string) => {
    const known = services.get(id);
    if (known) return known;
    const state = lazily(() => openService(join(dir, id), limits));
    const write = async (batch: Pending[]): Promise<void> => {
      await writeLines(await state(), batch, clock.now(), (deployment) =>
        openSegments(join(dir, id, deployment), limits),
      );
      waiting.call(id);
    };
    const onError = (error: unknown) =>
      log.error({ err: error, service: id }, "a workload's output cannot be written, lines of it are lost");
    const opened = { state, batcher: createBatcher(write, onError) };
    services.set(id, opened);
    return opened;
  };

  const settled = async (id: string): Promise<ServiceLog> => {
    const { state, batcher } = serviceOf(id);
    await batcher.settled();
    return state();
  };

  return {
    append: (id, deploymentId, line) => serviceOf(id).batcher.push({ deploymentId, line }),
    flush: async (id) => services.get(id)?.batcher.flush(),
    async *read(id, query) {
      const { segments: all, readable } = await settled(id);
      yield* selectLines([...all.values()], readable, query);
    },
    onAppend: (id, listener) => waiting.add(id, listener),
    async lastAt(id, deploymentId, replica) {
      const own = (await settled(id)).segments.get(deploymentId);
      return own && lastOf(own.backward(), replica);
    },
    async remove(id, deploymentId) {
      (await settled(id)).segments.delete(deploymentId);
      await rm(join(dir, id, deploymentId), { recursive: true, force: true });
    },
    async removeAll(id) {
      const open = services.get(id);
      services.delete(id);
      await open?.batcher.settled();
      await rm(join(dir, id), { recursive: true, force: true });
    },
    async close() {
      await Promise.all([...services.values()].map(({ batcher }) => batcher.settled()));
    },
  };
}

async function openService(dir: string, limits: SegmentLimits): Promise<ServiceLog> {
  const names = await readdir(dir).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const all = await Promise.all(
    names.map(async (name) => [name, await openSegments(join(dir, name), limits)] as const),
  );
  const last = Math.max(0, ...all.map(([, segments]) => segments.last));
  return { segments: new Map(all), last, readable: last };
}

async function writeLines(
  service: ServiceLog,
  batch: readonly Pending[],
  now: number,
  open: (deploymentId: string) => Promise<Segments>,
): Promise<void> {
  const texts = new Map<string, { text: string; first: number; last: number }>();
  for (const { deploymentId, line } of batch) {
    const seq = Math.max(service.last + 1, now * 1_000);
    service.last = seq;
    const part = texts.get(deploymentId) ?? { text: '', first: seq, last: seq };
    part.text += numbered(seq, { line: { ...line, line: cutLine(line.line) } });
    part.last = seq;
    texts.set(deploymentId, part);
  }
  for (const [deploymentId, { text, first, last }] of texts) {
    const segments = service.segments.get(deploymentId) ?? (await open(deploymentId));
    service.segments.set(deploymentId, segments);
    await segments.write(text, first, last);
  }
  service.readable = service.last;
}

async function lastOf(lines: AsyncIterable<Line>, replica: string): Promise<LastLines | undefined> {
  // Quotes inside a printed line are escaped, so these bytes are found nowhere but in the field itself.
  const field = Buffer.from(`"replica":${JSON.stringify(replica)}`);
  let found: LastLines | undefined;
  let own = 0;
  let passed = 0;
  for await (const { bytes } of lines) {
    // Others may print much more than this one.
    if (found && ++passed >= 10 * leadLines) break;
    if (!bytes.includes(field)) continue;
    const { at } = (JSON.parse(bytes.toString()) as WorkloadLogItem).line;
    found ??= { at, count: 0, lead: at };
    if (at === found.at && found.count === own) found.count += 1;
    found.lead = at;
    if (++own >= leadLines) break;
  }
  return found;
}
