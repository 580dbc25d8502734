/**
 * A file that becomes visible whole or not at all: written as `<name>.part`, and renamed once everything in it is found
 * good. It leaves a reserve of free space, so that an upload never starves the store.
 */
import { createHash } from 'node:crypto';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ProblemError } from '../../specs/problem.ts';
import { overBytes } from './refusal.ts';

export interface StagedFile {
  /** Writes chunks as they pass by. Throws ProblemError `too_large` or `unavailable` (disk full). */
  record(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined>;
  /** Makes it durable and visible. */
  commit(): Promise<{ bytes: number; sha256: string }>;
  /** Removes it, whatever state it is in. */
  discard(): Promise<void>;
}

export interface StagingOptions {
  /** Bytes it may have. */
  maxBytes: number;
  /** Bytes that stay free on the disk. */
  reserveBytes: number;
  /** Free bytes on the disk of a folder. */
  freeBytes: (dir: string) => Promise<number>;
}

/** Bytes between two looks at the free space. */
const interval = 32 * 2 ** 20;

/** Throws ProblemError `unavailable` when the disk is too full to begin. */
export async function stageFile(path: string, options: StagingOptions): Promise<StagedFile> {
  const dir = dirname(path);
  const part = `${path}.part`;
  await requireSpace(dir, options);
  const handle = await open(part, 'wx', 0o600).catch(diskError);
  const hash = createHash('sha256');
  let bytes = 0;
  let looked = 0;
  let renamed = false;

  async function* record(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > options.maxBytes) throw overBytes('its compressed size is more', options.maxBytes);
      if (bytes - looked >= interval) {
        await requireSpace(dir, options);
        looked = bytes;
      }
      hash.update(chunk);
      await handle.writeFile(chunk).catch(diskError);
      yield chunk;
    }
  }

  return {
    record,
    async commit() {
      await rename(part, path);
      renamed = true;
      // Together, because one trip to the disk serves both. A power cut before it may leave the name with half a file: what
      // no row speaks of is removed at the next start, and the row is written after this.
      await Promise.all([handle.sync(), syncFolder(dir)]).catch(diskError);
      await handle.close();
      return { bytes, sha256: hash.digest('hex') };
    },
    async discard() {
      await closeQuietly(handle);
      await rm(part, { force: true });
      if (renamed) await rm(path, { force: true });
    },
  };
}

async function requireSpace(dir: string, options: StagingOptions): Promise<void> {
  if ((await options.freeBytes(dir)) < options.reserveBytes) throw diskFull();
}

function diskError(error: unknown): never {
  const code = (error as NodeJS.ErrnoException).code;
  throw code === 'ENOSPC' || code === 'EDQUOT' ? diskFull(error) : error;
}

function diskFull(cause?: unknown): ProblemError {
  const detail = "The node's disk is too full to take an upload: free some space there, then push again.";
  return new ProblemError('unavailable', detail, { cause, retryAfter: 60 });
}

/** A second close is the only thing that can fail here, and changes nothing. */
async function closeQuietly(handle: FileHandle): Promise<void> {
  await handle.close().catch(() => undefined);
}

/** Makes a rename durable. */
async function syncFolder(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
