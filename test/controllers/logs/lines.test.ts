import assert from 'node:assert/strict';
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { mend, readBackward, readForward, type Line } from '../../../controllers/logs/lines.ts';
import { numbered } from '../../../controllers/logs/log-file.ts';
import { scratchDir } from '../../support/archives.ts';

async function fileOf(test: TestContext, text: string): Promise<string> {
  const path = join(await scratchDir(test), 'log.ndjson');
  await writeFile(path, text);
  return path;
}

async function numbers(lines: AsyncIterable<Line>): Promise<number[]> {
  const found: number[] = [];
  for await (const { seq, bytes } of lines) {
    assert.equal((JSON.parse(bytes.toString()) as Line).seq, seq);
    found.push(seq);
  }
  return found;
}

describe('reading lines', () => {
  it('finds the same lines forwards, backwards and from anywhere, whatever their lengths', async (test) => {
    const path = await fileOf(test, '');
    const line = fc.tuple(
      fc.integer({ min: 1, max: 50 }),
      fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 60_000, max: 140_000 })),
    );
    const property = fc.asyncProperty(
      fc.array(line, { maxLength: 30 }),
      fc.nat(800),
      async (lines, after) => {
        let seq = 0;
        const written = lines.map(([step, length]) => ({ seq: (seq += step), text: 'x'.repeat(length) }));
        await writeFile(path, written.map(({ seq: number, text }) => numbered(number, { text })).join(''));
        const { size } = await stat(path);
        const all = written.map(({ seq: number }) => number);
        assert.deepEqual(await numbers(readForward(path, size, 0)), all);
        assert.deepEqual(
          await numbers(readForward(path, size, after)),
          all.filter((number) => number > after),
        );
        assert.deepEqual(await numbers(readBackward(path, size)), [...all].reverse());
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it('reads no further than it is told', async (test) => {
    const first = numbered(1, {});
    const path = await fileOf(test, first + numbered(2, {}));
    assert.deepEqual(await numbers(readForward(path, first.length, 0)), [1]);
    assert.deepEqual(await numbers(readBackward(path, first.length)), [1]);
  });

  it('takes a file that is gone for an empty one', async (test) => {
    const path = join(await scratchDir(test), 'none');
    assert.deepEqual(
      [await numbers(readForward(path, 99, 0)), await numbers(readBackward(path, 99))],
      [[], []],
    );
    assert.deepEqual(await mend(path), { size: 0, last: 0 });
  });

  it('lets go of the file when the reader stops early', async (test) => {
    const path = await fileOf(test, numbered(1, {}) + numbered(2, {}));
    for (const lines of [readForward(path, 40, 0), readBackward(path, 20)]) {
      assert.equal((await lines.next()).done, false);
      await lines.return();
    }
  });
});

describe('mend', () => {
  const whole = numbered(1, { a: 1 }) + numbered(2, { b: 'ü' });

  it('leaves a whole file alone', async (test) => {
    const path = await fileOf(test, whole);
    assert.deepEqual(await mend(path), { size: Buffer.byteLength(whole), last: 2 });
    assert.equal(await readFile(path, 'utf8'), whole);
  });

  it('cuts off a line that is torn anywhere', async (test) => {
    const torn = numbered(3, { c: 'x'.repeat(100) });
    const path = await fileOf(test, '');
    for (let length = 0; length < torn.length; length += 7) {
      await writeFile(path, whole + torn.slice(0, length));
      assert.deepEqual(await mend(path), { size: Buffer.byteLength(whole), last: 2 });
      assert.equal(await readFile(path, 'utf8'), whole);
    }
  });

  it('cuts off what a power cut left: zeros, and lines that only look whole', async (test) => {
    for (const rest of [
      '\0'.repeat(5000),
      '\0'.repeat(100) + '\n',
      '{"seq":3,"c\0\0\0\n',
      'x'.repeat(200_000),
      '\n\n',
    ]) {
      const path = await fileOf(test, whole);
      await appendFile(path, rest);
      assert.deepEqual(await mend(path), { size: Buffer.byteLength(whole), last: 2 });
    }
  });

  it('empties a file without any whole line', async (test) => {
    const path = await fileOf(test, '{"seq":1,"a');
    assert.deepEqual(await mend(path), { size: 0, last: 0 });
    assert.equal((await stat(path)).size, 0);
  });
});
