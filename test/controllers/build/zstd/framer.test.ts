import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { defaultLimits } from '../../../../controllers/build/limits.ts';
import { createFramer } from '../../../../controllers/build/zstd/framer.ts';
import { ProblemError } from '../../../../specs/problem.ts';
import { inPieces } from '../../../support/archives.ts';

const corpus = new URL('../../../corpora/zstd/', import.meta.url);

function pieces(stream: Buffer, chunk: number, limits = defaultLimits): Buffer[] {
  const framer = createFramer(limits);
  const out = [...inPieces(stream, chunk)].flatMap((part) =>
    [...framer.push(part)].map((piece) => Buffer.from(piece)),
  );
  framer.end();
  return out;
}

function skippable(content: Buffer, nibble = 0): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x184d2a50 + nibble, 0);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}

const checksummed = zstdCompressSync('one'.repeat(1000), { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
const plain = zstdCompressSync('two');
const nothing = zstdCompressSync('');

describe('framer', () => {
  it('passes on every byte of frames and none of skippable frames, however the stream is cut', () => {
    const part = fc.oneof(
      fc.constantFrom(checksummed, plain, nothing),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => skippable(Buffer.from(bytes), bytes.length % 16)),
      fc.uint8Array({ maxLength: 5000 }).map((bytes) => zstdCompressSync(bytes)),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.integer({ min: 1, max: 4000 }), (parts, chunk) => {
        const frames = [plain, ...parts].filter((frame) => frame.readUInt32LE(0) === 0xfd2fb528);
        const out = pieces(Buffer.concat([plain, ...parts]), chunk);
        assert.deepEqual(Buffer.concat(out), Buffer.concat(frames));
      }),
    );
  });

  it('never gives a piece that crosses the end of a frame', () => {
    const out = pieces(Buffer.concat([plain, checksummed, skippable(Buffer.alloc(5)), nothing]), 1 << 20);
    assert.deepEqual(
      out.map((piece) => zstdDecompressSync(piece).toString()),
      ['two', 'one'.repeat(1000), ''],
    );
  });

  it('refuses a stream that is cut anywhere', () => {
    const stream = Buffer.concat([skippable(Buffer.alloc(9)), checksummed, plain]);
    const whole = new Set([stream.length, stream.length - plain.length]);
    for (let length = 0; length <= stream.length; length++) {
      const cut = () => pieces(stream.subarray(0, length), 7);
      if (whole.has(length)) cut();
      else assert.throws(cut, ProblemError, `accepted ${length} of ${stream.length} bytes`);
    }
  });

  const refused: [string, RegExp][] = [
    ['empty.zst', /is empty/],
    ['only-skippable.zst', /holds no data/],
    ['skippable-4gb.zst', /ends too early/],
    ['truncated.zst', /ends too early/],
    ['trailing-garbage.zst', /follow the last frame/],
    ['gzip-not-zstd.zst', /it is gzip, not zstd/],
    ['dictid.zst', /needs a dictionary/],
    ['window-2gb.zst', /larger window \(limit: 128\.0 MiB\)/],
    ['fcs-1tb.zst', /promises more than may be unpacked/],
  ];
  for (const [name, reason] of refused) {
    it(`refuses ${name} and says why`, () => {
      const stream = readFileSync(new URL(name, corpus));
      for (const chunk of [1, 5, 65_536]) assert.throws(() => pieces(stream, chunk), reason);
    });
  }

  it('refuses other formats by name', () => {
    const others: [string, string][] = [
      ['425a6839', 'bzip2'],
      ['fd377a585a00', 'xz'],
      ['504b0304', 'a zip file'],
    ];
    for (const [hex, name] of others)
      assert.throws(() => pieces(Buffer.from(hex, 'hex'), 64), new RegExp(name));
    assert.throws(() => pieces(Buffer.from('a plain text'), 64), /it is not zstd/);
  });

  it('refuses frames with reserved bits, reserved blocks or oversized blocks', () => {
    const frame = (descriptor: number, block: number) => {
      const field = Buffer.alloc(4);
      field.writeUInt32LE(block);
      return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, descriptor, 0]), field.subarray(0, 3)]);
    };
    assert.throws(() => pieces(frame(0x08, 1), 64), /reserved bit/);
    assert.throws(() => pieces(frame(0, 0b111), 64), /reserved type/);
    assert.throws(() => pieces(frame(0, ((128 * 1024 + 1) << 3) | 1), 64), /larger than zstd allows/);
  });

  it('counts frames, skippable ones too', () => {
    const stream = Buffer.concat([plain, ...Array.from({ length: 9 }, () => skippable(Buffer.alloc(0)))]);
    assert.equal(pieces(stream, 100, { ...defaultLimits, frames: 10 }).length, 1);
    assert.throws(
      () => pieces(stream, 100, { ...defaultLimits, frames: 9 }),
      /too many zstd frames \(limit: 9 frames\)/,
    );
  });
});
