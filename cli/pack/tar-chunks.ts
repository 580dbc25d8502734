/**
 * The bytes of an archive in chunks of one size, read as they are asked for.
 *
 * Reads are synchronous, straight into the chunk: for source files, which are small and mostly cached, asking the thread
 * pool costs several times the read itself, and the pool is busy compressing. Between chunks the event loop runs.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import type { Entry, FileEntry } from './entry.ts';
import { errorCode, PackError } from './error.ts';
import { endOfArchive, padding, tarHeader } from './tar-header.ts';

export interface Chunk {
  /** The whole buffer, for giving it back. */
  readonly buffer: Buffer;
  /** How much of the buffer is filled. All of it, but for the last chunk. */
  readonly used: number;
  /** Files whose last byte is in this chunk. */
  readonly files: number;
  /** Bytes of files in this chunk. */
  readonly bytes: number;
}

const hint = 'Push again once nothing writes to it, or list it in .dockerignore.';

function open(path: string, name: string): number {
  try {
    // Neither a link nor a pipe that took the file's place meanwhile is followed or waited for.
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ELOOP')
      throw new PackError(`${name} changed while it was packed.`, hint, { cause: error });
    throw new PackError(
      `Cannot read ${path}: ${String(error)}`,
      'Make it readable, or list it in .dockerignore.',
      { cause: error },
    );
  }
}

/**
 * @param take gives an empty buffer; each is as long as the first
 * @throws PackError naming a file that cannot be read or whose size changed
 */
export function* tarChunks(
  root: string,
  entries: Iterable<Entry>,
  take: () => Buffer,
): Generator<Chunk, void, undefined> {
  let chunk = { buffer: take(), used: 0, files: 0, bytes: 0 };

  function* flush(): Generator<Chunk, void, undefined> {
    const full = chunk;
    // Taken only once the reader comes back: until then it may have none to give.
    yield full;
    chunk = { buffer: take(), used: 0, files: 0, bytes: 0 };
  }

  function* write(bytes: Buffer): Generator<Chunk, void, undefined> {
    for (let at = 0; at < bytes.length;) {
      const copied = bytes.copy(chunk.buffer, chunk.used, at);
      chunk.used += copied;
      at += copied;
      if (chunk.used === chunk.buffer.length) yield* flush();
    }
  }

  function* contents(file: FileEntry): Generator<Chunk, void, undefined> {
    const path = `${root}/${file.name}`;
    const handle = open(path, file.name);
    try {
      let left = file.size;
      for (let atEnd = false; !atEnd;) {
        // One byte more than there should be: less than asked for is the end, all of it is a file that grew.
        const length = Math.min(left + 1, chunk.buffer.length - chunk.used);
        const count = readSync(handle, chunk.buffer, chunk.used, length, null);
        if (count > left) throw new PackError(`${file.name} became longer while it was packed.`, hint);
        atEnd = count < length;
        chunk.used += count;
        chunk.bytes += count;
        left -= count;
        if (chunk.used === chunk.buffer.length) yield* flush();
      }
      if (left > 0) throw new PackError(`${file.name} became shorter while it was packed.`, hint);
    } finally {
      closeSync(handle);
    }
    chunk.files += 1;
  }

  for (const entry of entries) {
    yield* write(tarHeader(entry));
    if (entry.type !== 'file') continue;
    yield* contents(entry);
    yield* write(endOfArchive.subarray(0, padding(entry.size)));
  }
  yield* write(endOfArchive);
  yield chunk;
}
