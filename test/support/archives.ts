/** Archives for tests: packed by tar-stream or put together block by block, so that nothing under test makes its own input. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { zstdCompressSync } from 'node:zlib';
import { extract, pack, type Header } from 'tar-stream';
import { newId } from '../../specs/meta.ts';

/** An entry as tar-stream takes it; a plain file when it has content. */
export type PackedEntry = Partial<Header> & { name: string; content?: string | Buffer };

export async function packTar(entries: readonly PackedEntry[]): Promise<Buffer> {
  const tar = pack();
  for (const { content, ...header } of entries) tar.entry(header, content ?? '');
  tar.finalize();
  return collect(tar);
}

export async function packUpload(entries: readonly PackedEntry[]): Promise<Buffer> {
  return zstdCompressSync(await packTar(entries));
}

export interface RawHeader {
  name?: string | Buffer;
  type?: string;
  /** A number is written in octal; bytes as they are. */
  size?: number | Buffer;
  linkname?: string;
  magic?: string;
  prefix?: string;
  mode?: number;
}

/** One 512-byte header exactly as asked for, with a right checksum. */
export function rawHeader({
  name = 'file',
  type = '0',
  size = 0,
  linkname = '',
  magic = 'ustar\u000000',
  prefix = '',
  mode = 0o644,
}: RawHeader): Buffer {
  const block = Buffer.alloc(512);
  const octal = (value: number, at: number, length: number) =>
    block.write(value.toString(8).padStart(length - 1, '0'), at, 'latin1');
  block.set(Buffer.from(name).subarray(0, 100), 0);
  octal(mode, 100, 8);
  if (typeof size === 'number') octal(size, 124, 12);
  else block.set(size, 124);
  octal(1_700_000_000, 136, 12);
  block.write(type, 156, 'latin1');
  block.write(linkname, 157, 100);
  block.write(magic, 257, 'latin1');
  block.write(prefix, 345, 155);
  return withChecksum(block);
}

export function withChecksum(block: Buffer): Buffer {
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** Content, padded to whole blocks. */
export function rawBody(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

/** A header and its content. */
export function rawEntry(header: RawHeader, content: string | Buffer = ''): Buffer {
  return Buffer.concat([rawHeader({ size: Buffer.byteLength(content), ...header }), rawBody(content)]);
}

export function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest) + 1;
  while (Buffer.byteLength(rest) + String(length).length > length) length++;
  return `${length}${rest}`;
}

/** The end of an archive. */
export const rawEnd: Buffer = Buffer.alloc(1024);

export interface ListedEntry {
  header: Header;
  content: Buffer;
}

/** Reads a tar with tar-stream. */
export async function listTar(tar: Buffer): Promise<ListedEntry[]> {
  const reader = extract();
  reader.end(tar);
  const entries: ListedEntry[] = [];
  for await (const entry of reader) entries.push({ header: entry.header, content: await collect(entry) });
  return entries;
}

export async function collect(chunks: AsyncIterable<unknown>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk as Buffer);
  return Buffer.concat(parts);
}

/** Pieces of `bytes`, as a stream would bring them. */
export function* inPieces(bytes: Buffer, length: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

/** As {@link inPieces}, for what takes streams only. */
// eslint-disable-next-line @typescript-eslint/require-await -- an async iterable is the point
export async function* streamOf(bytes: Buffer, length = 65_536): AsyncGenerator<Buffer> {
  yield* inPieces(bytes, length);
}

export function uploadId(): string {
  return newId('upload', Date.now(), randomBytes(10));
}

/** A folder that goes away after the test. */
export async function scratchDir(test: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-test-'));
  test.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

const run = promisify(execFile);

/** Runs a shell command and gives what it printed. */
export async function shell(command: string, cwd?: string): Promise<Buffer> {
  const { stdout } = await run('sh', ['-c', command], { cwd, encoding: 'buffer', maxBuffer: 2 ** 28 });
  return stdout;
}
