/**
 * Walks a zstd stream from frame to frame (RFC 8878) without decoding it: cuts it into pieces that never cross the end
 * of a frame, because node:zlib takes what follows a frame in the same write for garbage. Skippable frames are stepped
 * over. It knows exactly where a stream may end, so truncation never depends on what a decoder thinks of it.
 */
import type { UploadLimits } from '../limits.ts';
import { overLimit, unreadable } from '../refusal.ts';
import {
  foreignMagic,
  frameMagic,
  headerLength,
  isSkippable,
  readBlockHeader,
  readFrameHeader,
} from './frame-header.ts';

export interface Framer {
  /** Takes the next bytes of the stream; gives the pieces for the decoder, each within one frame. */
  push(chunk: Buffer): Generator<Buffer, void, undefined>;
  /** The stream has ended: throws unless that was between two frames, after at least one. */
  end(): void;
}

/**
 * ```
 * start → block ⇄ body → checksum? → start
 *   └──→ skip (the inside of a skippable frame) → start
 * ```
 */
type Step = 'start' | 'block' | 'body' | 'checksum' | 'skip';

export type FramerLimits = Pick<UploadLimits, 'windowBytes' | 'unpackedBytes' | 'frames'>;

/** Where in the frames the walk is. */
interface Walk {
  step: Step;
  /** Frames begun, and those of them that are not skippable. */
  begun: number;
  real: number;
  /** Bytes of this body, checksum or skippable frame that are still to come. */
  left: number;
  lastBlock: boolean;
  checksum: boolean;
}

/** Reads what opens a frame at `at`. @returns its length, or undefined while bytes of it are missing */
function openFrame(walk: Walk, data: Buffer, at: number, limits: FramerLimits): number | undefined {
  const there = data.length - at;
  if (there < 4) return undefined;
  const magic = data.readUInt32LE(at);
  const skippable = isSkippable(magic);
  if (!skippable && magic !== frameMagic) {
    throw walk.begun === 0
      ? foreignMagic(data.subarray(at))
      : unreadable('bytes that are no zstd follow the last frame');
  }
  if (there < 5) return undefined;
  const length = skippable ? 8 : headerLength(data.readUInt8(at + 4));
  if (there < length) return undefined;
  if (++walk.begun > limits.frames) {
    throw overLimit(
      'it has too many zstd frames',
      `${limits.frames} frames`,
      'Compress it in larger pieces.',
    );
  }
  if (skippable) {
    walk.left = data.readUInt32LE(at + 4);
    walk.step = 'skip';
  } else {
    walk.real++;
    walk.checksum = readFrameHeader(data.subarray(at, at + length), limits);
    walk.step = 'block';
  }
  return length;
}

function openBlock(walk: Walk, data: Buffer, at: number): number | undefined {
  if (data.length - at < 3) return undefined;
  const { length, last } = readBlockHeader(data, at);
  walk.left = length;
  walk.lastBlock = last;
  walk.step = 'body';
  return 3;
}

/** Passes over bytes that only the decoder looks at. */
function passBytes(walk: Walk, data: Buffer, at: number): number | undefined {
  const taken = Math.min(walk.left, data.length - at);
  walk.left -= taken;
  if (walk.left > 0) return taken === 0 ? undefined : taken;
  if (walk.step === 'body' && !walk.lastBlock) walk.step = 'block';
  else if (walk.step === 'body' && walk.checksum) [walk.step, walk.left] = ['checksum', 4];
  else walk.step = 'start';
  return taken;
}

function advance(walk: Walk, data: Buffer, at: number, limits: FramerLimits): number | undefined {
  if (walk.step === 'start') return openFrame(walk, data, at, limits);
  if (walk.step === 'block') return openBlock(walk, data, at);
  return passBytes(walk, data, at);
}

export function createFramer(limits: FramerLimits): Framer {
  const walk: Walk = { step: 'start', begun: 0, real: 0, left: 0, lastBlock: false, checksum: false };
  /** The beginning of a header whose end has not come yet. */
  let held: Buffer = Buffer.alloc(0);

  function* push(chunk: Buffer): Generator<Buffer, void, undefined> {
    const data = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    let at = 0;
    /** Where the piece that is being put together begins. */
    let from = 0;
    for (;;) {
      const skipping = walk.step === 'skip';
      const length = advance(walk, data, at, limits);
      if (length === undefined) break;
      at += length;
      if (walk.step !== 'start') continue;
      if (!skipping) yield data.subarray(from, at);
      from = at;
    }
    if (at > from && walk.step !== 'skip') yield data.subarray(from, at);
    held = Buffer.from(data.subarray(at));
  }

  return {
    push,
    end() {
      if (walk.step !== 'start' || held.length > 0)
        throw unreadable('its zstd stream ends too early; send it again');
      if (walk.real === 0)
        throw unreadable(walk.begun === 0 ? 'it is empty' : 'its zstd stream holds no data');
    },
  };
}
