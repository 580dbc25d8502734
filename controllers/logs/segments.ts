/**
 * What one replica printed as a row of files, each named by the number of its first line. Rotating is beginning the next
 * file; who keeps the logs drops the oldest (bound.ts). No file is ever renamed under somebody who reads it.
 */
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeptFile } from './bound.ts';
import { readBackward, readForward, type Line } from './lines.ts';
import { openLogFile, type LogFile } from './log-file.ts';

export interface Segments {
  /** Number of the last line; 0 while there is none. */
  readonly last: number;
  /** Oldest first. */
  files(): KeptFile[];
  /** Appends whole lines numbered `first` to `last`. One call at a time. */
  write(text: string, first: number, last: number): Promise<void>;
  /** Lines numbered above `after` that were there at this moment, oldest first. */
  forward(after: number): AsyncGenerator<Line, void, undefined>;
  /** All lines that were there at this moment, newest first. */
  backward(): AsyncGenerator<Line, void, undefined>;
  /** Removes the oldest files, but never the one that is written to. Not while something is written. */
  drop(count: number): Promise<void>;
}

type Segment = Pick<LogFile, 'path' | 'size'> & { first: number };

const suffix = '.ndjson';

/**
 * Reads which files there are. The folder itself comes with the first write.
 * @param segmentBytes of a file after which the next one begins
 */
export async function openSegments(dir: string, segmentBytes: number): Promise<Segments> {
  const found = await listSegments(dir);
  const newest = found.pop();
  let active = newest && { first: newest.first, file: await openLogFile(newest.path) };
  let older: Segment[] = found;

  /** As they are now; they may be removed while they are read, which reads as their end. */
  const snapshot = (): Segment[] => {
    if (!active) return older;
    return [...older, { path: active.file.path, size: active.file.size, first: active.first }];
  };

  /** A file without lines is one whose first line never made it to the disk. */
  const last = (): number => (active ? Math.max(active.file.last, active.first - 1) : 0);

  const rotate = async (first: number): Promise<LogFile> => {
    if (!active) await mkdir(dir, { recursive: true, mode: 0o700 });
    const path = join(dir, `${String(first).padStart(16, '0')}${suffix}`);
    const file = await openLogFile(path);
    // Both at once: whoever reads meanwhile finds each file once.
    older = snapshot();
    active = { first, file };
    return file;
  };

  return {
    get last() {
      return last();
    },
    files: () =>
      snapshot().map(({ size }, index, all) => ({ size, last: (all[index + 1]?.first ?? last() + 1) - 1 })),
    async write(text, first, upTo) {
      const file = active && active.file.size < segmentBytes ? active.file : await rotate(first);
      await file.write(text, upTo);
    },
    async *forward(after) {
      if (last() <= after) return;
      const all = snapshot();
      for (const [index, { path, size }] of all.entries()) {
        const next = all[index + 1]?.first ?? Infinity;
        if (next > after + 1) yield* readForward(path, size, after);
      }
    },
    async *backward() {
      for (const { path, size } of snapshot().reverse()) yield* readBackward(path, size);
    },
    async drop(count) {
      const dropped = older.slice(0, count);
      older = older.slice(count);
      await Promise.all(dropped.map(({ path }) => rm(path, { force: true })));
    },
  };
}

async function listSegments(dir: string): Promise<Segment[]> {
  const names = await readdir(dir).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const segments = names.filter((name) => /^\d{16}\.ndjson$/.test(name)).sort();
  return Promise.all(
    segments.map(async (name) => {
      const path = join(dir, name);
      return { path, first: Number(name.slice(0, -suffix.length)), size: (await stat(path)).size };
    }),
  );
}
