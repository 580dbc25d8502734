import assert from 'node:assert/strict';
import { readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { numbered } from '../../../controllers/logs/log-file.ts';
import { openSegments } from '../../../controllers/logs/segments.ts';
import { scratchDir } from '../../support/archives.ts';

const name = (first: number) => `${String(first).padStart(16, '0')}.ndjson`;

async function numbers(lines: AsyncIterable<{ seq: number }>): Promise<number[]> {
  const found: number[] = [];
  for await (const { seq } of lines) found.push(seq);
  return found;
}

/** Writes lines of 50 bytes, two to a file. */
async function filled(test: TestContext, count: number) {
  const dir = join(await scratchDir(test), 'dep_1');
  const segments = await openSegments(dir, 100);
  for (let seq = 10; seq < 10 + count; seq++)
    await segments.write(numbered(seq, { text: 'x'.repeat(29) }), seq, seq);
  return { dir, segments };
}

describe('segments', () => {
  it('begins the next file when one is full, and drops the oldest when it is told to', async (test) => {
    const { dir, segments } = await filled(test, 9);
    assert.deepEqual(
      segments.files().map(({ last }) => last),
      [11, 13, 15, 17, 18],
    );
    await segments.drop(2);
    assert.deepEqual(await readdir(dir), [name(14), name(16), name(18)]);
    assert.equal(segments.last, 18);
    assert.deepEqual(await numbers(segments.forward(0)), [14, 15, 16, 17, 18]);
    assert.deepEqual(await numbers(segments.forward(15)), [16, 17, 18]);
    assert.deepEqual(await numbers(segments.forward(17)), [18]);
    assert.deepEqual(await numbers(segments.forward(18)), []);
    assert.deepEqual(await numbers(segments.backward()), [18, 17, 16, 15, 14]);
    assert.deepEqual(segments.files()[0], { last: 15, size: 100 });
  });

  it('is read as it was when the reader began, but for what rotation removed', async (test) => {
    const { segments } = await filled(test, 5);
    const reader = segments.forward(0);
    assert.equal((await reader.next()).value?.seq, 10);
    for (let seq = 20; seq < 24; seq++)
      await segments.write(numbered(seq, { text: 'x'.repeat(29) }), seq, seq);
    await segments.drop(2);
    assert.deepEqual(await numbers(reader), [11, 14]);
    const late = segments.forward(0);
    assert.deepEqual(await numbers(late), [14, 20, 21, 22, 23]);
  });

  it('is found again after a restart', async (test) => {
    const { dir } = await filled(test, 5);
    const again = await openSegments(dir, 100);
    assert.deepEqual([again.last, await numbers(again.forward(0))], [14, [10, 11, 12, 13, 14]]);
    await again.write(numbered(15, { text: '' }), 15, 15);
    assert.deepEqual(await numbers(again.forward(13)), [14, 15]);
    await writeFile(join(dir, 'notes'), '');
    assert.equal((await openSegments(dir, 100)).last, 15);
  });

  it('never numbers backwards, also when the newest file lost its only line', async (test) => {
    const { dir } = await filled(test, 5);
    await truncate(join(dir, name(14)), 20);
    const again = await openSegments(dir, 100);
    assert.deepEqual([again.last, await numbers(again.forward(11))], [13, [12, 13]]);
  });

  it('is empty until something is written', async (test) => {
    const segments = await openSegments(join(await scratchDir(test), 'none'), 100);
    assert.deepEqual(
      [segments.last, await numbers(segments.forward(0)), await numbers(segments.backward())],
      [0, [], []],
    );
  });

  it('never drops the file that is written to', async (test) => {
    const dir = join(await scratchDir(test), 'dep_1');
    const segments = await openSegments(dir, 1);
    for (const seq of [1, 2, 3]) await segments.write(numbered(seq, {}), seq, seq);
    await segments.drop(9);
    assert.deepEqual(await readdir(dir), [name(3)]);
    await segments.write(numbered(4, {}), 4, 4);
    assert.deepEqual(await numbers(segments.forward(0)), [3, 4]);
  });
});
