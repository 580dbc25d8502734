/**
 * Staged uploads on disk. A body is checked while it is written: what is there under its final name has passed every rule.
 * An upload is never extracted; the engine gets a canonical tar that is made from it on the fly. When uploads go is the
 * upload controller's business.
 */
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { isId } from '../../specs/meta.ts';
import { ProblemError } from '../../specs/problem.ts';
import { neutralTime } from '../../specs/neutral-time.ts';
import { readBody } from './body.ts';
import { planContext, type ContextPaths } from './context.ts';
import { defaultLimits, type UploadLimits } from './limits.ts';
import { stageFile } from './staged-file.ts';
import { canonicalTar } from './tar/canonical.ts';
import { checkTar } from './tar/check.ts';
import type { AcceptedEntry } from './tar/policy.ts';
import { createTree, type Tree } from './tar/tree.ts';
import { decompress } from './zstd/decompress.ts';

interface ReceivedUpload {
  /** Of the body as it came. */
  bytes: number;
  sha256: string;
  /** Of the files in it. */
  unpacked_bytes: number;
  /** Files, folders and links. */
  entries: number;
}

interface BuildContext {
  /** An uncompressed canonical tar. It fails, and never just ends, when the upload turns out to be damaged. */
  stream: Readable;
  /** Path of the Dockerfile inside it. */
  dockerfile: string;
}

export interface Uploads {
  /**
   * Takes a `.tar.zst` body. On any failure nothing stays behind, and the body is left standing, not destroyed, so that
   * the refusal can be answered. Throws ProblemError: `bad_request` (unreadable or hostile, with the reason and the entry),
   * `too_large` (with the limit), `unavailable` (disk full), `rate_limited` (too many at once).
   */
  receive(uploadId: string, body: Readable, signal: AbortSignal): Promise<ReceivedUpload>;
  /**
   * The build context of an upload. Throws ProblemError: `not_found` when the upload is gone, `invalid` when it has no
   * such folder or Dockerfile.
   * @param time seconds since the epoch, for entries that came without one of their own (specs/neutral-time.ts)
   */
  context(uploadId: string, paths: ContextPaths, time: number): Promise<BuildContext>;
  /** Succeeds when there is none. */
  remove(uploadId: string): Promise<void>;
  /** Removes what a crash left half-written. Only before the first upload. @returns ids of the uploads that are there */
  sweep(): Promise<string[]>;
}

export interface UploadsOptions {
  /** Folder of their own; made when missing. */
  dir: string;
  limits?: Partial<UploadLimits>;
  freeBytes?: (dir: string) => Promise<number>;
}

const suffix = '.tar.zst';

const ignore = (): void => undefined;

export async function openUploads(options: UploadsOptions): Promise<Uploads> {
  const { dir, freeBytes = freeOnDisk } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const staging = { maxBytes: limits.compressedBytes, reserveBytes: limits.reserveBytes, freeBytes };
  await mkdir(dir, { recursive: true, mode: 0o700 });
  let receiving = 0;

  const pathOf = (id: string): string => {
    if (!isId('upload', id)) throw gone();
    return join(dir, `${id}${suffix}`);
  };

  return {
    async receive(id, body, signal) {
      const path = pathOf(id);
      if (receiving >= limits.concurrent) throw tooMany();
      receiving++;
      // A body may fail before it is read; readBody finds the error there.
      body.on('error', ignore);
      try {
        return await receive(path, body, signal, limits, staging);
      } finally {
        receiving--;
        body.off('error', ignore);
      }
    },
    async context(id, paths, time) {
      const path = pathOf(id);
      const tree = createTree(limits);
      await measure(openArchive(path, tree, limits)).catch(missing);
      const plan = planContext(tree, paths);
      const place = (entry: AcceptedEntry) => dated(plan.place(entry), time);
      const tar = canonicalTar(openArchive(path, createTree(limits), limits), place);
      return { stream: Readable.from(tar, { objectMode: false }), dockerfile: plan.dockerfile };
    },
    async remove(id) {
      await rm(pathOf(id), { force: true });
    },
    async sweep() {
      const names = await readdir(dir);
      const parts = names.filter((name) => name.endsWith('.part'));
      await Promise.all(parts.map((name) => rm(join(dir, name), { force: true })));
      const ids = names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
      return ids.filter((id) => isId('upload', id));
    },
  };
}

async function receive(
  path: string,
  body: Readable,
  signal: AbortSignal,
  limits: UploadLimits,
  staging: Parameters<typeof stageFile>[1],
): Promise<ReceivedUpload> {
  const stop = new AbortController();
  const file = await stageFile(path, staging);
  try {
    const chunks = file.record(readBody(body, AbortSignal.any([signal, stop.signal])));
    const measured = await measure(checkTar(decompress(chunks, limits), createTree(limits), limits));
    return { ...measured, ...(await file.commit()) };
  } catch (error) {
    stop.abort();
    await file.discard();
    throw error;
  }
}

/** Reads a staged upload again, with every check; lazily, so that nothing is open before the first read. */
async function* openArchive(path: string, tree: Tree, limits: UploadLimits) {
  yield* checkTar(decompress(createReadStream(path), limits), tree, limits);
}

async function measure(parts: ReturnType<typeof checkTar>) {
  const measured = { unpacked_bytes: 0, entries: 0 };
  for await (const part of parts) {
    if ('data' in part) continue;
    measured.entries++;
    measured.unpacked_bytes += part.entry.size;
  }
  return measured;
}

function dated(entry: AcceptedEntry | undefined, time: number): AcceptedEntry | undefined {
  return entry?.mtime === neutralTime ? { ...entry, mtime: time } : entry;
}

async function freeOnDisk(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

function missing(error: unknown): never {
  throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? gone(error) : error;
}

function gone(cause?: unknown): ProblemError {
  return new ProblemError('not_found', 'The upload is gone: push again.', { cause });
}

function tooMany(): ProblemError {
  const detail = 'The node is receiving as many uploads as it takes at once: try again in a moment.';
  return new ProblemError('rate_limited', detail, { retryAfter: 10 });
}
