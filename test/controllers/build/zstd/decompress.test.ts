import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { defaultLimits } from '../../../../controllers/build/limits.ts';
import { decompress } from '../../../../controllers/build/zstd/decompress.ts';
import { collect, scratchDir, shell, streamOf } from '../../../support/archives.ts';

const corpus = new URL('../../../corpora/zstd/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, corpus));

/** Unpacked bytes of the rows that are whole and within limits; every other row is refused. */
const good: Record<string, number> = {
  'ok.zst': 120_000,
  'two-frames.zst': 240_000,
  'skippable-then-frame.zst': 120_000,
  'empty-blocks-300kb.zst': 0,
  'facebook/golden-decompression--block-128k.zst': 131_068,
  'facebook/golden-decompression--empty-block.zst': 0,
  'facebook/golden-decompression--rle-first-block.zst': 1_048_576,
  'facebook/golden-decompression--zeroSeq_2B.zst': 13,
};

async function size(chunks: AsyncIterable<Buffer>): Promise<number> {
  let total = 0;
  for await (const chunk of chunks) total += chunk.length;
  return total;
}

describe('decompress', () => {
  const rows = readdirSync(corpus, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.zst'));
  assert.equal(rows.length, 23);
  for (const name of rows) {
    it(`${good[name] === undefined ? 'refuses' : 'accepts'} ${name}`, async () => {
      const stream = read(name);
      for (const chunk of [Math.ceil(stream.length / 1000) || 1, 65_536]) {
        const unpacked = size(decompress(streamOf(stream, chunk), defaultLimits));
        if (good[name] === undefined) await assert.rejects(unpacked, { name: 'ProblemError' });
        else assert.equal(await unpacked, good[name]);
      }
    });
  }

  it('reads what other tools write: threads, several frames, long distances, levels', async (test) => {
    const dir = await scratchDir(test);
    await shell('head -c 3000000 /dev/urandom > noise; (cat noise; seq 300000; cat noise) > data', dir);
    const data = await shell('cat data', dir);
    const tools = [
      'zstd -q -c -T2 data',
      'zstd -q -c -1 --no-check data',
      'zstd -q -c -19 --long=27 data',
      'zstd -q -c --fast=5 < data',
      'pzstd -q -c -p 2 data',
      'split -b 700000 data part. && for part in part.*; do zstd -q -c $part; done',
    ];
    for (const tool of tools) {
      const packed = await shell(tool, dir);
      const unpacked = await collect(decompress(streamOf(packed), defaultLimits));
      assert.ok(unpacked.equals(data), tool);
    }
  });

  it('reads a great many tiny frames', async () => {
    const frame = zstdCompressSync('x');
    const stream = Buffer.concat(Array.from({ length: 20_000 }, () => frame));
    assert.equal(await size(decompress(streamOf(stream), defaultLimits)), 20_000);
  });

  it('stops at the limit of unpacked bytes, and at the ratio', async () => {
    const bomb = read('rle-bomb-5gb.zst');
    const sizeUnder = (limits: object) => size(decompress(streamOf(bomb), { ...defaultLimits, ...limits }));
    await assert.rejects(sizeUnder({}), { code: 'too_large', message: /200 times the compressed size/ });
    await assert.rejects(sizeUnder({ ratio: 1e9, unpackedBytes: 2 ** 27 }), {
      code: 'too_large',
      message: /unpacks to more \(limit: 128\.0 MiB\)/,
    });
  });

  it('fails with the error of its source', async () => {
    const broken = new Error('broken');
    async function* source() {
      yield* streamOf(read('ok.zst').subarray(0, 1000));
      throw broken;
    }
    await assert.rejects(size(decompress(source(), defaultLimits)), broken);
  });

  it('lets go of its source when nobody wants more', async () => {
    let closed = (): void => undefined;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    async function* source() {
      try {
        for (;;) yield* streamOf(read('ok.zst'));
      } finally {
        closed();
      }
    }
    for await (const chunk of decompress(source(), defaultLimits)) if (chunk.length > 0) break;
    await gone;
  });
});
