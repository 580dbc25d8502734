/**
 * Reads the fixed-size fields of a zstd stream (RFC 8878, section 3.1). Pure: bytes in, numbers out. It decodes nothing.
 */
import { overBytes, unreadable } from '../refusal.ts';

export const frameMagic = 0xfd2fb528;
const skippableMagic = 0x184d2a50;

const largestBlock = 128 * 1024;

/** First bytes of what people send by mistake. */
const others: readonly [string, string][] = [
  ['1f8b', 'gzip'],
  ['425a68', 'bzip2'],
  ['fd377a585a', 'xz'],
  ['504b', 'a zip file'],
];

/** Whether this little-endian magic opens a skippable frame (RFC 8878, 3.1.2). */
export function isSkippable(magic: number): boolean {
  return (magic & 0xfffffff0) >>> 0 === skippableMagic;
}

/** Why bytes that open no frame are refused. */
export function foreignMagic(bytes: Buffer): Error {
  const hex = bytes.subarray(0, 8).toString('hex');
  const known = others.find(([prefix]) => hex.startsWith(prefix));
  return unreadable(
    known ? `it is ${known[1]}, not zstd; send a .tar.zst` : 'it is not zstd; send a .tar.zst',
  );
}

/** Bytes of a frame's header, told by its descriptor (the fifth byte). */
export function headerLength(descriptor: number): number {
  const single = (descriptor & 0x20) !== 0;
  return 5 + (single ? 0 : 1) + dictionaryBytes(descriptor) + contentBytes(descriptor);
}

function dictionaryBytes(descriptor: number): number {
  return [0, 1, 2, 4][descriptor & 3] ?? 0;
}

function contentBytes(descriptor: number): number {
  const flag = descriptor >> 6;
  return flag === 0 ? Number((descriptor & 0x20) !== 0) : 1 << flag;
}

/**
 * Checks a whole frame header before a decoder sees it: throws where the frame needs a dictionary, more memory than
 * `windowBytes`, or promises more than `unpackedBytes`.
 * @returns whether a checksum follows the last block
 */
export function readFrameHeader(
  header: Buffer,
  limits: { windowBytes: number; unpackedBytes: number },
): boolean {
  const descriptor = header.readUInt8(4);
  if ((descriptor & 0x08) !== 0) throw unreadable('a zstd frame uses a reserved bit');
  const single = (descriptor & 0x20) !== 0;
  const idAt = single ? 5 : 6;
  const idBytes = dictionaryBytes(descriptor);
  if (idBytes > 0 && header.readUIntLE(idAt, idBytes) !== 0) {
    throw unreadable('a zstd frame needs a dictionary; compress without one');
  }
  const content = readContentSize(header, idAt + idBytes, contentBytes(descriptor));
  if (content > limits.unpackedBytes)
    throw overBytes('a zstd frame promises more than may be unpacked', limits.unpackedBytes);
  const window = single ? content : windowSize(header.readUInt8(5));
  if (window > limits.windowBytes) {
    throw overBytes(
      'a zstd frame needs a larger window',
      limits.windowBytes,
      'Compress it with less --long.',
    );
  }
  return (descriptor & 0x04) !== 0;
}

function windowSize(byte: number): number {
  const base = 2 ** (10 + (byte >> 3));
  return base + (base / 8) * (byte & 7);
}

function readContentSize(header: Buffer, at: number, bytes: number): number {
  if (bytes === 0) return 0;
  if (bytes === 8) return Number(header.readBigUInt64LE(at));
  return header.readUIntLE(at, bytes) + (bytes === 2 ? 256 : 0);
}

/** A block header (RFC 8878, 3.1.1.2): how many bytes follow, and whether it is the frame's last. */
export function readBlockHeader(bytes: Buffer, at: number): { length: number; last: boolean } {
  const field = bytes.readUIntLE(at, 3);
  const type = (field >> 1) & 3;
  const size = field >> 3;
  if (type === 3) throw unreadable('a zstd block has a reserved type');
  if (size > largestBlock) throw unreadable('a zstd block is larger than zstd allows');
  return { length: type === 1 ? 1 : size, last: (field & 1) === 1 };
}
