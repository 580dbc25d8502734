import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { merge } from '../../../controllers/logs/merge.ts';

// eslint-disable-next-line @typescript-eslint/require-await -- an async generator is the point
async function* numbers(all: readonly number[], onEnd: () => void = () => undefined) {
  try {
    for (const seq of all) yield { seq };
  } finally {
    onEnd();
  }
}

describe('merge', () => {
  it('gives everything in order, either way', async () => {
    const sorted = fc.array(fc.nat(100)).map((all) => all.sort((a, b) => a - b));
    const property = fc.asyncProperty(fc.array(sorted, { maxLength: 5 }), async (sources) => {
      const expected = sources.flat().sort((a, b) => a - b);
      const rising: number[] = [];
      for await (const { seq } of merge(
        sources.map((all) => numbers(all)),
        1,
      ))
        rising.push(seq);
      assert.deepEqual(rising, expected);
      const falling: number[] = [];
      for await (const { seq } of merge(
        sources.map((all) => numbers([...all].reverse())),
        -1,
      ))
        falling.push(seq);
      assert.deepEqual(falling, [...expected].reverse());
    });
    await fc.assert(property);
  });

  it('closes all of its sources when the reader stops early', async () => {
    let ended = 0;
    for await (const { seq } of merge([numbers([1, 3], () => ended++), numbers([2, 4], () => ended++)], 1))
      if (seq === 2) break;
    assert.equal(ended, 2);
  });
});
