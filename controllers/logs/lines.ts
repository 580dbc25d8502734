/**
 * Reads files of JSON lines that begin with a rising sequence number (`{"seq":12,…}`), forwards and backwards, without ever
 * holding more than a few lines. A place in a file is found by bisection, so that resuming costs the same in a large file
 * as in a small one. Only whole lines count: `size` is where they end, and a file that is gone has none.
 */
import { open, type FileHandle } from 'node:fs/promises';

export interface Line {
  seq: number;
  /** The line without its newline. */
  bytes: Buffer;
}

const newline = 0x0a;
const windowBytes = 64 * 1024;

/** Lines numbered above `after` within the first `size` bytes, oldest first. */
export async function* readForward(
  path: string,
  size: number,
  after: number,
): AsyncGenerator<Line, void, undefined> {
  const handle = await openIfThere(path);
  if (!handle) return;
  try {
    let rest: Buffer = Buffer.alloc(0);
    for (let at = await seek(handle, size, after); at < size;) {
      const data = await readAt(handle, at, Math.min(windowBytes, size - at));
      if (data.length === 0) return;
      at += data.length;
      rest = Buffer.concat([rest, data]);
      for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
        const line = toLine(rest.subarray(0, end));
        rest = rest.subarray(end + 1);
        if (line && line.seq > after) yield line;
      }
    }
  } finally {
    await handle.close();
  }
}

/** All lines within the first `size` bytes, newest first. */
export async function* readBackward(path: string, size: number): AsyncGenerator<Line, void, undefined> {
  const handle = await openIfThere(path);
  if (!handle) return;
  try {
    // Ends with a whole line; of the first one only its end may be there yet.
    let rest: Buffer = Buffer.alloc(0);
    for (let at = size; at > 0;) {
      const from = Math.max(0, at - windowBytes);
      rest = Buffer.concat([await readAt(handle, from, at - from), rest]);
      at = from;
      while (rest.length > 0) {
        const start = rest.length < 2 ? 0 : rest.lastIndexOf(newline, rest.length - 2) + 1;
        if (start === 0 && at > 0) break;
        const line = toLine(rest.subarray(start, -1));
        rest = rest.subarray(0, start);
        if (line) yield line;
      }
    }
  } finally {
    await handle.close();
  }
}

/** Cuts off what a crash left half-written. @returns where the whole lines end, and the number of the last (0 without any) */
export async function mend(path: string): Promise<{ size: number; last: number }> {
  const handle = await openIfThere(path, 'r+');
  if (!handle) return { size: 0, last: 0 };
  try {
    const { size } = await handle.stat();
    for (let end = size; end > 0;) {
      const start = await lineStart(handle, end);
      const bytes = await readAt(handle, start, end - start);
      const line = bytes.at(-1) === newline ? toLine(bytes.subarray(0, -1)) : undefined;
      if (line && isWhole(line)) {
        if (end < size) await handle.truncate(end);
        return { size: end, last: line.seq };
      }
      end = start;
    }
    await handle.truncate(0);
    return { size: 0, last: 0 };
  } finally {
    await handle.close();
  }
}

/** Where the first line numbered above `after` begins, or a line shortly before it. */
async function seek(handle: FileHandle, size: number, after: number): Promise<number> {
  let low = 0;
  let high = size;
  while (after > 0 && high - low > windowBytes) {
    const middle = Math.floor((low + high) / 2);
    const start = await nextLine(handle, middle, high);
    const line = start < high ? toLine(await readAt(handle, start, 64)) : undefined;
    if (line && line.seq <= after) low = start;
    else high = middle;
  }
  return low;
}

/** Where the first line begins that begins after `from`; `to` if none does before that. */
async function nextLine(handle: FileHandle, from: number, to: number): Promise<number> {
  for (let at = from; at < to; at += windowBytes) {
    const found = (await readAt(handle, at, Math.min(windowBytes, to - at))).indexOf(newline);
    if (found !== -1) return at + found + 1;
  }
  return to;
}

/** Where the line begins whose last byte lies before `end`. */
async function lineStart(handle: FileHandle, end: number): Promise<number> {
  for (let to = end - 1; to > 0;) {
    const from = Math.max(0, to - windowBytes);
    const found = (await readAt(handle, from, to - from)).lastIndexOf(newline);
    if (found !== -1) return from + found + 1;
    to = from;
  }
  return 0;
}

async function readAt(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

/** Reads only the number: most lines that are looked at are not the ones wanted. */
function toLine(bytes: Buffer): Line | undefined {
  const digits = /^\{"seq":(\d{1,16})[,}]/.exec(bytes.toString('latin1', 0, 32))?.[1];
  return digits === undefined ? undefined : { seq: Number(digits), bytes };
}

function isWhole(line: Line): boolean {
  try {
    JSON.parse(line.bytes.toString());
    return true;
  } catch {
    return false;
  }
}

async function openIfThere(path: string, flags = 'r'): Promise<FileHandle | undefined> {
  return open(path, flags).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
}
