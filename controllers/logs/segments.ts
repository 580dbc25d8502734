/**
 * The log of one deployment's workload as a row of files, each named by the number of its first line. Rotating is beginning
 * the next file and removing the oldest: no file is ever renamed under somebody who reads it.
 */
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readBackward, readForward, type Line } from './lines.ts';
import { openLogFile, type LogFile } from './log-file.ts';

export interface SegmentLimits {
  /** Bytes of a file after which the next one begins. */
  segmentBytes: number;
  /** Files that are kept. */
  segments: number;
}

export interface Segments {
  /** Number of the last line; 0 while there is none. */
  readonly last: number;
  /** Appends whole lines numbered `first` to `last`. One call at a time. */
  write(text: string, first: number, last: number): Promise<void>;
  /** Lines numbered above `after` that were there at this moment, oldest first. */
  forward(after: number): AsyncGenerator<Line, void, undefined>;
  /** All lines that were there at this moment, newest first. */
  backward(): AsyncGenerator<Line, void, undefined>;
}

type Segment = Pick<LogFile, 'path' | 'size'> & { first: number };

const suffix = '.ndjson';

/** Reads which files there are. The folder itself comes with the first write. */
export async function openSegments(dir: string, limits: SegmentLimits): Promise<Segments> {
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
    const all = snapshot();
    active = { first, file: await openLogFile(path) };
    const surplus = Math.max(0, all.length - limits.segments + 1);
    older = all.slice(surplus);
    await Promise.all(all.slice(0, surplus).map((segment) => rm(segment.path, { force: true })));
    return active.file;
  };

  return {
    get last() {
      return last();
    },
    async write(text, first, upTo) {
      const file = active && active.file.size < limits.segmentBytes ? active.file : await rotate(first);
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
