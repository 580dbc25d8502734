/**
 * The log of each deployment: what its build and its release did. A file each, kept beyond its containers. Entries are
 * numbered 1, 2, 3, … for ever; readers resume by number. Output is bounded; changes of status are always kept, because
 * readers wait for the last of them.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../specs/clock.ts';
import type { DeploymentLogEntry } from '../../specs/log-entry.ts';
import { timestamp } from '../../specs/meta.ts';
import type { Log } from '../runtime/log.ts';
import { createBatcher, type Batcher } from './batcher.ts';
import { cutLine } from './cut.ts';
import { readBackward, readForward, type Line } from './lines.ts';
import { lazily } from './lazily.ts';
import { listeners } from './listeners.ts';
import { numbered, openLogFile, type LogFile } from './log-file.ts';

interface DeploymentLogItem {
  seq: number;
  entry: DeploymentLogEntry;
}

export interface DeploymentLogs {
  /** In order; written at once in the background. What cannot be written is reported to the node's log, and to flush(). */
  append: (deploymentId: string, entry: DeploymentLogEntry) => void;
  /** Resolves when everything appended before can be read. Rejects with what kept it from being written. */
  flush: (deploymentId: string) => Promise<void>;
  /** Entries numbered above `after`, oldest first, up to the end of what is there; none when there is no log. */
  read: (deploymentId: string, after: number) => AsyncIterable<DeploymentLogItem>;
  /** The last `count` entries, oldest first. */
  tail: (deploymentId: string, count: number) => Promise<DeploymentLogItem[]>;
  /** Calls back after entries were written. @returns unsubscribe */
  onAppend: (deploymentId: string, listener: () => void) => () => void;
  remove: (deploymentId: string) => Promise<void>;
  /** Writes what waits. */
  close: () => Promise<void>;
}

export interface DeploymentLogsOptions {
  dir: string;
  clock: Clock;
  log: Pick<Log, 'error'>;
  /** Bytes of a deployment's log after which its output is no longer kept. */
  maxBytes?: number;
}

interface OpenLog {
  file: () => Promise<LogFile>;
  batcher: Batcher<DeploymentLogEntry>;
}

export async function openDeploymentLogs(options: DeploymentLogsOptions): Promise<DeploymentLogs> {
  const { dir, clock, log, maxBytes = 64 * 2 ** 20 } = options;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const logs = new Map<string, OpenLog>();
  const waiting = listeners();
  const pathOf = (id: string): string => join(dir, `${id}.ndjson`);

  const logOf = (id: string): OpenLog => {
    const known = logs.get(id);
    if (known) return known;
    const file = lazily(() => openLogFile(pathOf(id)));
    const write = async (batch: DeploymentLogEntry[]): Promise<void> => {
      if (logs.get(id) !== opened) return;
      await writeEntries(await file(), batch, { maxBytes, now: clock.now() });
      waiting.call(id);
    };
    const onError = (error: unknown) =>
      log.error({ err: error, deployment: id }, "a deployment's log cannot be written, lines of it are lost");
    const opened = { file, batcher: createBatcher(write, onError) };
    logs.set(id, opened);
    return opened;
  };

  /** What can be read now. */
  const readable = async (id: string): Promise<LogFile> => {
    const { file, batcher } = logOf(id);
    await batcher.settled();
    return file();
  };

  return {
    append: (id, entry) => logOf(id).batcher.push(entry),
    flush: async (id) => logs.get(id)?.batcher.flush(),
    async *read(id, after) {
      const { path, size, last } = await readable(id);
      if (last <= after) return;
      for await (const line of readForward(path, size, after)) yield toItem(line);
    },
    async tail(id, count) {
      const { path, size } = await readable(id);
      const items: DeploymentLogItem[] = [];
      if (count <= 0) return items;
      for await (const line of readBackward(path, size)) if (items.push(toItem(line)) >= count) break;
      return items.reverse();
    },
    onAppend: (id, listener) => waiting.add(id, listener),
    async remove(id) {
      const open = logs.get(id);
      logs.delete(id);
      await open?.batcher.settled();
      await rm(pathOf(id), { force: true });
    },
    async close() {
      await Promise.all([...logs.values()].map(({ batcher }) => batcher.settled()));
    },
  };
}

function toItem({ bytes }: Line): DeploymentLogItem {
  return JSON.parse(bytes.toString()) as DeploymentLogItem;
}

/** The line that goes over the limit is the last one, followed by one that says so: the size alone tells that it came to that. */
async function writeEntries(
  file: LogFile,
  entries: readonly DeploymentLogEntry[],
  { maxBytes, now }: { maxBytes: number; now: number },
): Promise<void> {
  let { size, last } = file;
  let text = '';
  const add = (entry: DeploymentLogEntry): void => {
    const line = numbered(++last, { entry });
    size += Buffer.byteLength(line);
    text += line;
  };
  for (const entry of entries) {
    if (entry.event === 'status') add(entry);
    else if (size < maxBytes) {
      add({ ...entry, line: cutLine(entry.line) });
      if (size < maxBytes) continue;
      add({
        ...entry,
        at: timestamp(now),
        stream: 'stderr',
        line: 'The log is full: what follows is not kept.',
      });
    }
  }
  if (text !== '') await file.write(text, last);
}
