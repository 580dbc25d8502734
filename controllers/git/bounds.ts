/** Holds a clone to its limits while it runs: time, memory, and what it puts on the disk. Whoever gets the signal ends it. */
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../specs/clock.ts';
import { formatBytes } from '../../specs/bytes.ts';
import { GitError } from './failure.ts';
import { memoryOf } from './processes.ts';

export interface CloneLimits {
  /** Milliseconds from the first contact to the last archive. */
  ms: number;
  /** Bytes on the disk, of all repositories and archives together. */
  bytes: number;
  /** Files in the repository and its submodules, and files on the disk. */
  files: number;
  /** Bytes of memory, of all processes together. */
  memory: number;
}

export const defaultCloneLimits: CloneLimits = {
  ...{ ms: 10 * 60_000, bytes: 2 * 2 ** 30, files: 200_000, memory: 2 ** 30 },
};

export interface Watch {
  /** Aborts with a GitError once a limit is passed, or with the reason of the outer signal. */
  signal: AbortSignal;
  /** Looks once more: what grew since the last look counts as well. Throws GitError. */
  check(): Promise<void>;
  stop(): void;
}

/** Milliseconds between two looks at the disk, and looks from one at the processes to the next: all of the machine's are asked. */
const interval = 250;
const looksPerMemory = 4;

/** Begins to watch what lies below the two directories of a clone, and the processes whose home is the one. */
export function watchBounds(
  { home, work }: { home: string; work: string },
  limits: CloneLimits,
  { clock, signal: outer }: { clock: Clock; signal: AbortSignal },
): Watch {
  const over = new AbortController();
  const stopped = new AbortController();
  const cancelTime = clock.after(limits.ms, () => over.abort(tooSlow(limits)));
  let cancelLook = (): void => undefined;
  const check = async (): Promise<void> => {
    const size = { bytes: 0, files: 0 };
    for (const dir of [home, work]) await measure(dir, size, limits, stopped.signal);
    const fault = excess(size, limits);
    if (fault !== undefined) over.abort(new GitError('CloneTooLarge', fault));
    over.signal.throwIfAborted();
  };
  let looks = 0;
  const look = async (): Promise<void> => {
    await check();
    if (looks++ % looksPerMemory === 0 && (await memoryOf(home)) > limits.memory)
      over.abort(tooHungry(limits));
    if (!stopped.signal.aborted) cancelLook = clock.after(interval, begin);
  };
  const begin = (): void => void look().catch((error: unknown) => over.abort(error));
  begin();
  return {
    signal: AbortSignal.any([outer, over.signal]),
    check,
    stop() {
      stopped.abort();
      cancelTime();
      cancelLook();
    },
  };
}

/** What is too much, in words; undefined when nothing is. */
export function excess(size: { bytes: number; files: number }, limits: CloneLimits): string | undefined {
  const next = 'make the repository smaller, or push a part of it with svc push';
  if (size.bytes > limits.bytes) return `The repository has more than ${formatBytes(limits.bytes)}: ${next}.`;
  if (size.files > limits.files) return `The repository has more than ${limits.files} files: ${next}.`;
  return undefined;
}

function tooSlow({ ms }: CloneLimits): GitError {
  const message = `The repository could not be cloned within ${Math.round(ms / 1_000)} seconds: its host is too slow, or it is too large.`;
  return new GitError('CloneTimedOut', message);
}

/** A delta of a few bytes can stand for gigabytes: git makes them in memory. */
function tooHungry({ memory }: CloneLimits): GitError {
  const message = `git needs more than ${formatBytes(memory)} of memory for the repository: take large files out of it, or keep them in LFS.`;
  return new GitError('CloneTooLarge', message);
}

/** Adds up what is there now; files that come and go meanwhile are of no account. Stops as soon as it is too much. */
async function measure(
  dir: string,
  size: { bytes: number; files: number },
  limits: CloneLimits,
  stopped: AbortSignal,
): Promise<void> {
  const entries = await opendir(dir).catch(absent);
  if (!entries) return;
  for await (const entry of entries) {
    if (stopped.aborted || excess(size, limits) !== undefined) return;
    const path = join(dir, entry.name);
    if (entry.isDirectory()) await measure(path, size, limits, stopped);
    else {
      size.files += 1;
      size.bytes += (await lstat(path).catch(absent))?.size ?? 0;
    }
  }
}

function absent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}
