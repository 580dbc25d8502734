/** Headers of a tar archive: ustar, with a pax extended header where ustar has no room (POSIX.1-2001, pax). Nothing but bytes. */
import { neutralTime } from '../../specs/neutral-time.ts';
import type { Entry } from './entry.ts';

/** Bytes of a header, and what every file is padded to. */
const blockBytes = 512;

/** The largest number that eleven octal digits hold. */
const largestSize = 0o77777777777;

const flags = { file: '0', symlink: '2', directory: '5', pax: 'x' } as const;

interface Fields {
  readonly name: string;
  readonly prefix: string;
  readonly mode: number;
  readonly size: number;
  readonly flag: string;
  readonly link: string;
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');

/** One block. All text is ASCII and fits. */
function block(fields: Fields): Buffer {
  const bytes = Buffer.allocUnsafe(blockBytes).fill(0);
  const put = (text: string, at: number): void => void bytes.write(text, at, 'latin1');
  put(fields.name, 0);
  put(octal(fields.mode, 7), 100);
  put('0000000', 108); // owner
  put('0000000', 116); // group
  put(octal(fields.size, 11), 124);
  put(octal(neutralTime, 11), 136);
  put('        ', 148); // the checksum counts as spaces
  put(fields.flag, 156);
  put(fields.link, 157);
  put('ustar\u000000', 257);
  put('0000000', 329); // device
  put('0000000', 337);
  put(fields.prefix, 345);
  let sum = 0;
  for (let i = 0; i < blockBytes; i += 1) sum += bytes[i] ?? 0;
  put(`${octal(sum, 6)}\u0000 `, 148);
  return bytes;
}

const isAscii = (text: string): boolean => !/[^\u0001-\u007E]/.test(text);

/** The name in ustar's two fields, or undefined where it does not fit. */
function split(name: string): { name: string; prefix: string } | undefined {
  if (!isAscii(name)) return undefined;
  if (name.length <= 100) return { name, prefix: '' };
  const at = name.indexOf('/', name.length - 101);
  if (at < 1 || at > 155 || at === name.length - 1) return undefined;
  return { name: name.slice(at + 1), prefix: name.slice(0, at) };
}

/** `length key=value\n`, where the length counts itself. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + String(bytes).length;
  if (String(length).length > String(bytes).length) length = bytes + String(length).length;
  return `${length}${rest}`;
}

/** Zeros that follow `bytes` of contents up to the next block. */
export function padding(bytes: number): number {
  return (blockBytes - (bytes % blockBytes)) % blockBytes;
}

function extended(text: string): Buffer {
  const body = Buffer.from(text);
  const head = block({
    name: 'PaxHeader',
    prefix: '',
    mode: 0o644,
    size: body.length,
    flag: flags.pax,
    link: '',
  });
  return Buffer.concat([head, body, Buffer.alloc(padding(body.length))]);
}

/** Everything that stands before an entry's contents. */
export function tarHeader(entry: Entry): Buffer {
  const name = entry.type === 'directory' ? `${entry.name}/` : entry.name;
  const size = entry.type === 'file' ? entry.size : 0;
  const link = entry.type === 'symlink' ? entry.target : '';
  const fits = split(name);
  const linkFits = link.length <= 100 && isAscii(link);
  let pax = '';
  if (!fits) pax += record('path', name);
  if (!linkFits) pax += record('linkpath', link);
  if (size > largestSize) pax += record('size', String(size));
  const head = block({
    ...(fits ?? { name: 'PaxHeader', prefix: '' }),
    mode: entry.mode,
    size: size > largestSize ? 0 : size,
    flag: flags[entry.type],
    link: linkFits ? link : '',
  });
  return pax === '' ? head : Buffer.concat([extended(pax), head]);
}

/** Two empty blocks end an archive. */
export const endOfArchive = Buffer.alloc(2 * blockBytes);
