/**
 * What stands in front of a tar entry to replace parts of its header: PAX records (POSIX.1-2017, "pax Extended Header")
 * and GNU's long names. Pure. Two sources for one fact are refused: readers disagree about which of them wins.
 */
import { isUtf8 } from 'node:buffer';
import { malformed, type TarHeader } from './headers.ts';

/** Replacements for the next entry's header. */
export interface Overrides {
  from?: 'pax' | 'gnu';
  name?: Buffer;
  target?: Buffer;
  size?: number;
  mtime?: number;
}

/** Takes over one extension header. @param type `x`, `g`, `L` or `K` @param body all of its content */
export function extend(overrides: Overrides, type: string, body: Buffer): Overrides {
  if (type === 'g') return checkGlobal(overrides, body);
  if (type === 'x') {
    if (overrides.from !== undefined) throw malformed('a tar entry has two extension headers');
    return readPax(body);
  }
  const field = type === 'L' ? 'name' : 'target';
  if (overrides.from === 'pax' || overrides[field]) throw malformed('a tar entry has two extension headers');
  return { ...overrides, from: 'gnu', [field]: readGnuName(body) };
}

export function override(header: TarHeader, overrides: Overrides): TarHeader {
  // A size that differs from the header's hides entries from readers that know only one of the two (CVE-2025-62518).
  if (overrides.size !== undefined && overrides.size !== header.size) {
    throw malformed('a tar entry has two different sizes');
  }
  return {
    ...header,
    name: overrides.name ?? header.name,
    target: overrides.target ?? header.target,
    mtime: overrides.mtime ?? header.mtime,
  };
}

/** A global header may carry comments (`git archive` writes one), never names or sizes. */
function checkGlobal(overrides: Overrides, body: Buffer): Overrides {
  const found = readPax(body);
  if (found.name !== undefined || found.target !== undefined || found.size !== undefined) {
    throw malformed('a global PAX header sets a path or size');
  }
  if (overrides.from !== undefined) throw malformed('an extension header has no entry');
  return overrides;
}

function readPax(body: Buffer): Overrides {
  const overrides: Overrides = { from: 'pax' };
  for (const [key, value] of paxRecords(body)) {
    if (key.startsWith('GNU.sparse.')) throw malformed('it holds sparse files; pack without --sparse');
    if (key === 'path') once(overrides, 'name', readPaxName(value));
    else if (key === 'linkpath') once(overrides, 'target', readPaxName(value));
    else if (key === 'size') once(overrides, 'size', readPaxSize(value));
    else if (key === 'mtime')
      overrides.mtime = Math.max(0, Math.trunc(Number(value.toString('latin1')) || 0));
  }
  return overrides;
}

function once<K extends 'name' | 'target' | 'size'>(overrides: Overrides, key: K, value: Overrides[K]): void {
  if (overrides[key] !== undefined) throw malformed('a PAX header says the same thing twice');
  overrides[key] = value;
}

/** Records of the form `<length> <key>=<value>\n`, where length counts the whole record. */
function* paxRecords(body: Buffer): Generator<[string, Buffer]> {
  for (let at = 0; at < body.length;) {
    const digits = /^([1-9]\d{0,7}) /.exec(body.toString('latin1', at, at + 9))?.[1];
    const end = at + Number(digits ?? Infinity);
    const equals = digits === undefined ? -1 : body.indexOf('=', at);
    const from = at + (digits?.length ?? 0) + 1;
    if (end > body.length || body[end - 1] !== 0x0a || equals <= from || equals >= end) {
      throw malformed('a PAX header is malformed');
    }
    yield [body.toString('utf8', from, equals), body.subarray(equals + 1, end - 1)];
    at = end;
  }
}

function readPaxName(value: Buffer): Buffer {
  if (value.length === 0 || value.includes(0))
    throw malformed('a PAX header has an empty name or one with a NUL');
  return value;
}

function readPaxSize(value: Buffer): number {
  const text = value.toString('latin1');
  const size = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(size)) throw malformed('a PAX header has a size that is no number');
  return size;
}

/** GNU ends its long names with a NUL; some writers leave it out. */
function readGnuName(body: Buffer): Buffer {
  const end = body.indexOf(0);
  const name = end === -1 ? body : body.subarray(0, end);
  if (name.length === 0 || (end !== -1 && body.subarray(end).some((byte) => byte !== 0))) {
    throw malformed('a GNU long name is empty or has a NUL inside');
  }
  return name;
}

/** A name as text. */
export function decodeName(name: Buffer): string | undefined {
  return isUtf8(name) ? name.toString('utf8') : undefined;
}
