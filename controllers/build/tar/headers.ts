/**
 * Reads one 512-byte tar header (POSIX.1-2017 pax, "ustar Interchange Format", and GNU's and V7's variants of it). Pure.
 * It is strict: what two readers could take for two things is a TarFormatError, never a guess.
 */
export const blockSize = 512;

/** The bytes are no tar that every reader reads the same way. The reader adds where in the archive that was. */
export class TarFormatError extends Error {
  override readonly name = 'TarFormatError';
}

export function malformed(detail: string): TarFormatError {
  return new TarFormatError(detail);
}

export interface TarHeader {
  /** The type flag as a character; `0` for the NUL of old archives. */
  type: string;
  /** Name and link target as they stand there: extension headers may replace them, and may have cut them anywhere. */
  name: Buffer;
  target: Buffer;
  size: number;
  mode: number;
  /** Seconds since the epoch. */
  mtime: number;
}

const zeros = Buffer.alloc(64 * 1024);

export function isZero(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += zeros.length) {
    const part = bytes.subarray(at, at + zeros.length);
    if (!part.equals(zeros.subarray(0, part.length))) return false;
  }
  return true;
}

/** @param block exactly 512 bytes that are not all zero */
export function readHeader(block: Buffer): TarHeader {
  if (readNumber(block, 148, 8, 'checksum') !== checksumOf(block))
    throw malformed('a tar header has a wrong checksum');
  const name = readText(block, 0, 100);
  const prefix = readPrefix(block);
  const flag = block.readUInt8(156);
  return {
    type: flag === 0 ? '0' : String.fromCharCode(flag),
    name: prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name]),
    target: readText(block, 157, 100),
    size: readNumber(block, 124, 12, 'size'),
    mode: readNumber(block, 100, 8, 'mode'),
    mtime: readTime(block),
  };
}

/** The sum of all bytes, those of the checksum field itself taken as spaces. */
function checksumOf(block: Buffer): number {
  let sum = 8 * 32;
  for (let i = 0; i < 148; i++) sum += block[i] ?? 0;
  for (let i = 156; i < blockSize; i++) sum += block[i] ?? 0;
  return sum;
}

/** Only POSIX headers have a prefix; GNU keeps times where it would be, and star shortens it to make room for some. */
function readPrefix(block: Buffer): Buffer {
  const magic = block.toString('latin1', 257, 263);
  if (magic === 'ustar\0') {
    const star = block.toString('latin1', 508, 512) === 'tar\0';
    return readText(block, 345, star ? 131 : 155);
  }
  const old = isZero(block.subarray(257, 265));
  if (magic !== 'ustar ' && !old) throw malformed('a tar header is of no known format');
  return Buffer.alloc(0);
}

/** A text that ends at the first NUL or at the end of its field. Bytes after the NUL would be seen by some readers only. */
function readText(block: Buffer, at: number, length: number): Buffer {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  if (end === -1) return Buffer.from(field);
  if (!isZero(field.subarray(end))) throw malformed('a tar header hides bytes behind a NUL in a name');
  return Buffer.from(field.subarray(0, end));
}

/** An octal number, or one in GNU's base 256 (first bit set). Not negative, and exact. */
function readNumber(block: Buffer, at: number, length: number, what: string): number {
  const field = block.subarray(at, at + length);
  const first = field.readUInt8(0);
  if (first === 0x80) return readBase256(field, what);
  if (first > 0x80) throw malformed(`a tar header has a negative or overlong ${what}`);
  const text = /^ *([0-7]*)[ \0]*$/.exec(field.toString('latin1'))?.[1];
  if (text === undefined) throw malformed(`a tar header has a ${what} that is no number`);
  return text === '' ? 0 : parseInt(text, 8);
}

function readBase256(field: Buffer, what: string): number {
  let value = 0n;
  for (const byte of field.subarray(1)) value = (value << 8n) | BigInt(byte);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw malformed(`a tar header has a ${what} beyond measure`);
  return Number(value);
}

/** Times decide nothing, and archives from before 1970 are no attack: what is no plain number counts as 0. */
function readTime(block: Buffer): number {
  const text = /^ *([0-7]+)[ \0]*$/.exec(block.toString('latin1', 136, 148))?.[1];
  return text === undefined ? 0 : parseInt(text, 8);
}
