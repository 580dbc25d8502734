/**
 * Decompresses a zstd stream of any number of frames, within limits. One decoder serves all frames; output is made only
 * as fast as it is taken, so that a bomb costs time, never memory. What the bytes mean is no business of this file.
 */
import { pipeline } from 'node:stream/promises';
import { constants, createZstdDecompress } from 'node:zlib';
import type { UploadLimits } from '../limits.ts';
import { overBytes, overLimit, unreadable } from '../refusal.ts';
import { createFramer } from './framer.ts';

/** Bytes of a piece of output: larger is faster, smaller leaves less behind for the garbage collector. */
const chunkSize = 64 * 1024;

export type DecompressLimits = Pick<
  UploadLimits,
  'windowBytes' | 'unpackedBytes' | 'frames' | 'ratio' | 'ratioFrom'
>;

/**
 * The unpacked bytes of `source`. Throws ProblemError `bad_request` when it is not one whole valid stream, `too_large`
 * when it goes over a limit. Ending the iteration early stops the decoder; `source` is closed as soon as it answers.
 */
export async function* decompress(
  source: AsyncIterable<Buffer>,
  limits: DecompressLimits,
): AsyncGenerator<Buffer, void, undefined> {
  const decoder = createZstdDecompress({
    chunkSize,
    params: { [constants.ZSTD_d_windowLogMax]: Math.ceil(Math.log2(limits.windowBytes)) },
  });
  const flow = { in: 0, out: 0 };
  // A failure destroys the decoder with its cause, so the loop below throws it.
  const fed = pipeline(pieces(source, limits, flow), decoder).catch(() => undefined);
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      flow.out += chunk.length;
      checkFlow(flow, limits);
      yield chunk;
    }
    await fed;
  } catch (error) {
    throw decoderError(error);
  } finally {
    decoder.destroy();
  }
}

async function* pieces(source: AsyncIterable<Buffer>, limits: DecompressLimits, flow: { in: number }) {
  const framer = createFramer(limits);
  for await (const chunk of source) {
    for (const piece of framer.push(chunk)) {
      flow.in += piece.length;
      yield piece;
    }
  }
  framer.end();
}

function checkFlow(flow: { in: number; out: number }, limits: DecompressLimits): void {
  if (flow.out > limits.unpackedBytes) throw overBytes('it unpacks to more', limits.unpackedBytes);
  if (flow.out > limits.ratioFrom && flow.out > flow.in * limits.ratio) {
    throw overLimit('it unpacks to far more than was sent', `${limits.ratio} times the compressed size`);
  }
}

function decoderError(error: unknown): unknown {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code !== 'string' || !code.startsWith('ZSTD_')) return error;
  return unreadable('its zstd data is damaged; send it again', error);
}
