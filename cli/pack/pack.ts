/** `svc push`, the archive: a working tree as a tar.zst stream. Knows nothing of the node that it is sent to. */
import { availableParallelism } from 'node:os';
import { Readable } from 'node:stream';
import { compressInOrder } from './compress.ts';
import { PackError } from './error.ts';
import { scan, type Plan } from './scan.ts';
import { tarChunks, type Chunk } from './tar-chunks.ts';
import { resolveTarget, type TargetOptions } from './target.ts';

export interface PackProgress {
  /** So far, of what the reader of the stream has taken. */
  readonly files: number;
  readonly bytes: number;
  readonly totalFiles: number;
  readonly totalBytes: number;
}

export interface PackSummary {
  readonly files: number;
  /** Sum of the sizes of the files. */
  readonly bytes: number;
  /** Length of the stream. */
  readonly compressedBytes: number;
}

export interface PackOptions extends TargetOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: PackProgress) => void) | undefined;
  /** Told of each thing that was left out although no rule says so. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Where git is found and configured. Default: the environment of the process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

export interface Packed {
  /** The archive. Fails with a PackError where the tree cannot be packed, before its first byte if nothing changes meanwhile. */
  readonly stream: Readable;
  /** Once the stream was read to its end; fails as the stream does. */
  readonly summary: Promise<PackSummary>;
}

/** Bytes of the archive in one zstd frame: twice the window of zstd's level 3, so that cutting costs next to nothing. */
const chunkBytes = 4 * 1024 * 1024;
/** One more than there are cores, so that none is idle while the next chunk is read. */
const parallel = (): number => availableParallelism() + 1;

async function* archive(
  plan: Plan,
  root: string,
  options: PackOptions,
): AsyncGenerator<Buffer, PackSummary, undefined> {
  const free: Buffer[] = [];
  const take = (): Buffer => free.pop() ?? Buffer.allocUnsafeSlow(chunkBytes);
  const done = (chunk: Chunk): void => void free.push(chunk.buffer);
  const report = (files: number, bytes: number): void =>
    options.onProgress?.({ files, bytes, totalFiles: plan.files, totalBytes: plan.bytes });
  let files = 0;
  let bytes = 0;
  let compressedBytes = 0;
  report(files, bytes);
  const chunks = tarChunks(root, plan.entries, take);
  for await (const { data, chunk } of compressInOrder(chunks, { parallel: parallel(), done })) {
    yield data;
    files += chunk.files;
    bytes += chunk.bytes;
    compressedBytes += data.length;
    report(files, bytes);
  }
  return { files, bytes, compressedBytes };
}

/**
 * Packs what `git` and `docker build` together would take: the build context without what .gitignore and .dockerignore leave
 * out, and the Dockerfile. One tree gives one sequence of bytes, whoever packs it and when.
 * @returns at once; the tree is looked at when the stream is first read
 */
export function pack(options: PackOptions): Packed {
  const { promise: summary, resolve, reject } = Promise.withResolvers<PackSummary>();
  // Whoever reads the stream sees the failure there; nobody has to await the summary as well.
  summary.catch(() => undefined);
  async function* bytes(): AsyncGenerator<Buffer, void, undefined> {
    const target = await resolveTarget(options);
    const plan = await scan(target, {
      env: options.env ?? process.env,
      signal: options.signal,
      warn: options.onWarning ?? (() => undefined),
    });
    resolve(yield* archive(plan, target.root, options));
  }
  const stream = Readable.from(bytes(), {
    objectMode: false,
    ...(options.signal && { signal: options.signal }),
  });
  stream.once('error', reject);
  stream.once('close', () => reject(new PackError('Packing was cancelled.', 'Push again.')));
  return { stream, summary };
}
