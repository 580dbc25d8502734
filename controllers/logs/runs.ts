/**
 * When the runs of a replica began. A container that is started again goes on in the same log, and what it printed may be
 * copied late, so that its lines are told apart by their times. Beside its lines, in a small file that is written whole.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAfter, midway } from './instant.ts';

export interface RunStart {
  /** When the engine says that it started: which run it is. RFC 3339. */
  run: string;
  /** Lines of this time or later are of this run. */
  from: string;
}

/** Of lines, by their times (RFC 3339). */
export interface Window {
  /** undefined: from the first line that is kept. */
  from: string | undefined;
  /** The first time that no longer belongs to it. */
  until: string;
}

export interface Runs {
  /** Does nothing for one that is on record with the same beginning or an earlier one. One call at a time. */
  add(start: RunStart): Promise<void>;
  /** The run before the last start; undefined when none is on record. What was printed in it may be no longer kept. */
  previous(): Window | undefined;
}

/** Runs that are remembered. */
const most = 10;

/** Of all times. */
const theBeginning = '1970-01-01T00:00:00Z';

/**
 * The run that began at `startedAt`, as the engine says, in a container whose run before it, if there was one, ended at
 * `lastExitAt`. A workload may print before its engine knows that it runs, and be read after it is known to have ended.
 */
export function runStart(startedAt: string, lastExitAt: string | null): RunStart {
  if (lastExitAt === null) return { run: startedAt, from: theBeginning };
  return { run: startedAt, from: isAfter(startedAt, lastExitAt) ? midway(lastExitAt, startedAt) : startedAt };
}

/** @param dir of the replica's log; made with the first run */
export async function openRuns(dir: string): Promise<Runs> {
  const path = join(dir, 'runs.json');
  let starts = await readStarts(path);
  return {
    async add(start) {
      const known = starts.find(({ run }) => run === start.run);
      if (known && !isAfter(known.from, start.from)) return;
      const others = starts.filter((one) => one !== known);
      starts = [...others, start].sort((a, b) => (isAfter(a.run, b.run) ? 1 : -1)).slice(-most);
      await mkdir(dir, { recursive: true, mode: 0o700 });
      await writeFile(`${path}.new`, JSON.stringify(starts), { mode: 0o600 });
      await rename(`${path}.new`, path);
    },
    previous() {
      const present = starts.at(-1);
      return present && { from: starts.at(-2)?.from, until: present.from };
    },
  };
}

/** A power cut may leave nothing in it: then the runs up to now are one. */
async function readStarts(path: string): Promise<RunStart[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '[]';
    throw error;
  });
  try {
    const found = JSON.parse(text) as unknown;
    return Array.isArray(found) ? (found as RunStart[]) : [];
  } catch {
    return [];
  }
}
