/** Compresses chunks in parallel, each into a zstd frame of its own, and hands the frames on in order. Memory stays bounded. */
import { compress } from '@mongodb-js/zstd';
import type { Chunk } from './tar-chunks.ts';

export interface Frame {
  readonly data: Buffer;
  readonly chunk: Chunk;
}

export interface CompressOptions {
  /** Chunks in work at once. */
  readonly parallel: number;
  /** Told of each chunk whose buffer is free again. */
  readonly done: (chunk: Chunk) => void;
}

async function frame(chunk: Chunk, options: CompressOptions): Promise<Frame> {
  try {
    return { data: await compress(chunk.buffer.subarray(0, chunk.used)), chunk };
  } finally {
    options.done(chunk);
  }
}

/** Reads a chunk only when fewer than `parallel` are in work, and nothing ahead of a reader that does not ask. */
export async function* compressInOrder(
  chunks: Iterator<Chunk, void, undefined>,
  options: CompressOptions,
): AsyncGenerator<Frame, void, undefined> {
  const working: Promise<Frame>[] = [];
  try {
    for (let more = true; ;) {
      while (more && working.length < options.parallel) {
        const next = chunks.next();
        if (next.done) more = false;
        else working.push(frame(next.value, options));
      }
      const first = working.shift();
      if (!first) return;
      yield await first;
    }
  } finally {
    chunks.return?.();
    await Promise.allSettled(working);
  }
}
