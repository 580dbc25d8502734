/**
 * Logs of things that have an end, by id: a deployment, a run. A file each, kept beyond containers. Entries are numbered
 * 1, 2, 3, … for ever; readers resume by number. Output is bounded; changes of status are always kept, because readers wait
 * for the last of them.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../specs/clock.ts';
import { timestamp } from '../../specs/meta.ts';
import type { Log } from '../runtime/log.ts';
import { createBatcher, type Batcher } from './batcher.ts';
import { cutLine } from './cut.ts';
import { readBackward, readForward, type Line } from './lines.ts';
import { lazily } from './lazily.ts';
import { listeners } from './listeners.ts';
import { numbered, openLogFile, type LogFile } from './log-file.ts';

/** Output, or a change of status. */
export type LogEntry =
  { event: 'log'; at: string; stream: 'stdout' | 'stderr'; line: string } | { event: 'status' };

export interface LogItem<E> {
  seq: number;
  entry: E;
}

export interface EntryLogs<E> {
  /** In order; written at once in the background. What cannot be written is reported to the node's log, and to flush(). */
  append: (id: string, entry: E) => void;
  /** Resolves when everything appended before can be read. Rejects with what kept it from being written. */
  flush: (id: string) => Promise<void>;
  /** Entries numbered above `after`, oldest first, up to the end of what is there; none when there is no log. */
  read: (id: string, after: number) => AsyncIterable<LogItem<E>>;
  /** The last `count` entries, oldest first. */
  tail: (id: string, count: number) => Promise<LogItem<E>[]>;
  /** Whether it has come to its limit, so that output is no longer kept. */
  isFull: (id: string) => Promise<boolean>;
  /** Calls back after entries were written. @returns unsubscribe */
  onAppend: (id: string, listener: () => void) => () => void;
  remove: (id: string) => Promise<void>;
  /** Writes what waits. */
  close: () => Promise<void>;
}

export interface EntryLogsOptions {
  dir: string;
  /** What they are logs of, as the node's own log calls it. */
  noun: 'deployment' | 'run';
  clock: Clock;
  log: Pick<Log, 'error'>;
  /** Bytes of a log after which output is no longer kept. */
  maxBytes?: number;
}

interface OpenLog<E> {
  file: () => Promise<LogFile>;
  batcher: Batcher<E>;
}

export async function openEntryLogs<E extends LogEntry>(options: EntryLogsOptions): Promise<EntryLogs<E>> {
  const { dir, noun, clock, log, maxBytes = 64 * 2 ** 20 } = options;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const logs = new Map<string, OpenLog<E>>();
  const waiting = listeners();
  const pathOf = (id: string): string => join(dir, `${id}.ndjson`);

  const logOf = (id: string): OpenLog<E> => {
    const known = logs.get(id);
    if (known) return known;
    const file = lazily(() => openLogFile(pathOf(id)));
    const write = async (batch: E[]): Promise<void> => {
      if (logs.get(id) !== opened) return;
      await writeEntries(await file(), batch, { maxBytes, now: clock.now() });
      waiting.call(id);
    };
    const onError = (error: unknown) =>
      log.error({ err: error, [noun]: id }, `a ${noun}'s log cannot be written, lines of it are lost`);
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
      const items: LogItem<E>[] = [];
      if (count <= 0) return items;
      for await (const line of readBackward(path, size)) if (items.push(toItem(line)) >= count) break;
      return items.reverse();
    },
    isFull: async (id) => (await readable(id)).size >= maxBytes,
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

function toItem<E>({ bytes }: Line): LogItem<E> {
  return JSON.parse(bytes.toString()) as LogItem<E>;
}

/** The line that goes over the limit is the last one, followed by one that says so: the size alone tells that it came to that. */
async function writeEntries(
  file: LogFile,
  entries: readonly LogEntry[],
  { maxBytes, now }: { maxBytes: number; now: number },
): Promise<void> {
  let { size, last } = file;
  let text = '';
  const add = (entry: LogEntry): void => {
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
