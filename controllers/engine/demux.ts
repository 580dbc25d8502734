/**
 * Takes the engine's framed output apart: an 8-byte header (stream, three zero bytes, length as big-endian 32 bits),
 * then the payload; each frame is one write of the workload (Engine API, "Stream format"). Pulls: a slow reader slows
 * the engine down. dockerode's own demultiplexer ignores back-pressure and swallows damage.
 */
import { EngineError } from './engine.ts';

export interface Frame {
  stream: 'stdout' | 'stderr';
  payload: Buffer;
}

const headerBytes = 8;
/** The engine cuts a workload's lines at 16 KiB. A longer frame means that this is no framed stream. */
const longestFrame = 1024 * 1024;

/** @throws EngineError where the stream is not framed or ends inside a frame */
export async function* frames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Frame, undefined> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (;;) {
      const end = frameEnd(pending);
      if (end === undefined || pending.length < end) break;
      yield { stream: pending[0] === 2 ? 'stderr' : 'stdout', payload: pending.subarray(headerBytes, end) };
      pending = pending.subarray(end);
    }
  }
  if (pending.length > 0) throw damaged();
  return undefined;
}

/** Where the first frame ends, once its header is there. */
function frameEnd(pending: Buffer): number | undefined {
  if (pending.length < headerBytes) return undefined;
  const kind = pending.readUInt32BE(0);
  const length = pending.readUInt32BE(4);
  // 0 is stdin, which an engine may use for stdout as well.
  if ((kind !== 0 && kind !== 0x01000000 && kind !== 0x02000000) || length > longestFrame) throw damaged();
  return headerBytes + length;
}

function damaged(): EngineError {
  return new EngineError(
    'unavailable',
    'The container engine sent output that cannot be read: it is followed again',
  );
}
