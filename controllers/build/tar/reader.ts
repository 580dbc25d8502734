/**
 * Takes a tar stream apart as it comes, in chunks of any size: entries with their extension headers applied, and their
 * contents. It knows the format and nothing of what is allowed; that is policy.ts. An archive has to end as it should:
 * two zero blocks, and only zeros after them.
 */
import { overBytes, quoteName, refusedEntry, unreadable } from '../refusal.ts';
import type { UploadLimits } from '../limits.ts';
import { decodeName, extend, override, type Overrides } from './extensions.ts';
import { blockSize, isZero, malformed, readHeader, TarFormatError, type TarHeader } from './headers.ts';

/** An entry as the archive has it: nothing about it is checked but that it can be read. */
export interface TarEntry {
  /** The type flag. */
  type: string;
  path: string;
  /** Of a symlink or hardlink, else empty. */
  target: string;
  size: number;
  mode: number;
  mtime: number;
}

/** A stream of these is an archive: each entry, then `size` bytes of its content in any number of parts. */
export type TarPart<E = TarEntry> = { entry: E } | { data: Buffer };

export interface TarReader {
  push(chunk: Buffer): Generator<TarPart, void, undefined>;
  /** The stream has ended: throws unless the archive has too. */
  end(): void;
}

/**
 * ```
 * header ⇄ body (of an entry) ⇄ padding
 *   ├──⇄ extension (PAX or GNU)
 *   └──→ eof (after one zero block) → tail (after the second)
 * ```
 */
type Step = 'header' | 'extension' | 'body' | 'padding' | 'eof' | 'tail';

type ReaderLimits = Pick<UploadLimits, 'extensionBytes' | 'unpackedBytes'>;

/** Where in the archive the reader is. */
interface Walk {
  step: Step;
  /** Bytes of this body, extension or padding that are still to come, and of the padding after it. */
  left: number;
  padding: number;
  /** The extension header that is being gathered, and what those before the next entry said. */
  extension: { type: string; parts: Buffer[] };
  overrides: Overrides;
  /** The last entry that could be read. */
  last: string;
}

const extensionTypes = new Set(['x', 'g', 'L', 'K']);

export function createTarReader(limits: ReaderLimits): TarReader {
  const walk: Walk = {
    step: 'header',
    left: 0,
    padding: 0,
    extension: { type: '', parts: [] },
    overrides: {},
    last: '',
  };
  /** A block whose end has not come yet. */
  let held: Buffer = Buffer.alloc(0);
  let total = 0;

  return {
    *push(chunk) {
      total += chunk.length;
      const data = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      try {
        held = yield* read(walk, data, limits);
      } catch (error) {
        throw error instanceof TarFormatError ? located(error.message, walk.last) : error;
      }
    },
    end() {
      if (total === 0) throw unreadable('it is empty');
      if (walk.step === 'tail' && total % blockSize === 0) return;
      throw located('its tar archive ends too early; send it again', walk.last);
    },
  };
}

/** Reads as much of `data` as there is. @returns the bytes of a block whose end is missing */
function* read(walk: Walk, data: Buffer, limits: ReaderLimits): Generator<TarPart, Buffer, undefined> {
  let rest = data;
  while (walk.step !== 'tail') {
    if (walk.step === 'header' || walk.step === 'eof') {
      if (rest.length < blockSize) return Buffer.from(rest);
      const entry = openBlock(walk, rest.subarray(0, blockSize), limits);
      rest = rest.subarray(blockSize);
      if (entry) yield { entry };
      continue;
    }
    const part = rest.subarray(0, walk.left);
    rest = rest.subarray(part.length);
    walk.left -= part.length;
    if (walk.step === 'body' && part.length > 0) yield { data: part };
    if (walk.step === 'extension') walk.extension.parts.push(part);
    if (walk.left > 0) return rest;
    close(walk);
  }
  if (!isZero(rest)) throw malformed('something follows the end of the tar archive');
  return rest.subarray(rest.length);
}

function located(detail: string, last: string): Error {
  return unreadable(last === '' ? detail : `${detail} (the last entry was ${quoteName(last)})`);
}

/** Takes one block where a header belongs. @returns the entry that it opens, if it does */
function openBlock(walk: Walk, block: Buffer, limits: ReaderLimits): TarEntry | undefined {
  if (isZero(block)) {
    if (walk.overrides.from !== undefined) throw malformed('an extension header has no entry');
    walk.step = walk.step === 'eof' ? 'tail' : 'eof';
    return undefined;
  }
  if (walk.step === 'eof') throw malformed('an entry follows the end of the tar archive');
  const header = readHeader(block);
  walk.left = header.size;
  walk.padding = (blockSize - (header.size % blockSize)) % blockSize;
  if (extensionTypes.has(header.type)) {
    if (header.size > limits.extensionBytes)
      throw overBytes(
        'a tar extension header has more',
        limits.extensionBytes,
        'Pack it without extended attributes.',
      );
    walk.step = 'extension';
    walk.extension = { type: header.type, parts: [] };
    return undefined;
  }
  const entry = toEntry(override(header, walk.overrides), limits);
  walk.overrides = {};
  walk.last = entry.path;
  walk.step = 'body';
  return entry;
}

/** The bytes of this step are all there. */
function close(walk: Walk): void {
  const { step, extension } = walk;
  if (step === 'extension')
    walk.overrides = extend(walk.overrides, extension.type, Buffer.concat(extension.parts));
  walk.step = step === 'padding' ? 'header' : 'padding';
  walk.left = walk.padding;
  walk.padding = 0;
}

function toEntry(header: TarHeader, limits: ReaderLimits): TarEntry {
  const path = decodeName(header.name);
  const target = decodeName(header.target);
  if (path === undefined || target === undefined) {
    throw refusedEntry(
      (path === undefined ? header.name : header.target).toString('latin1'),
      'has a name that is not UTF-8',
    );
  }
  if (header.size > limits.unpackedBytes)
    throw overBytes(`${quoteName(path)} is larger`, limits.unpackedBytes);
  return { type: header.type, path, target, size: header.size, mode: header.mode, mtime: header.mtime };
}
