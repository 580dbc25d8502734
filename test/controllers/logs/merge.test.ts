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

const rising = (a: { seq: number }, b: { seq: number }) => a.seq - b.seq;

describe('merge', () => {
  it('gives everything in order, either way', async () => {
    const sorted = fc.array(fc.nat(100)).map((all) => all.sort((a, b) => a - b));
    const property = fc.asyncProperty(fc.array(sorted, { maxLength: 5 }), async (sources) => {
      const expected = sources.flat().sort((a, b) => a - b);
      const up: number[] = [];
      for await (const { seq } of merge(
        sources.map((all) => numbers(all)),
        rising,
      ))
        up.push(seq);
      assert.deepEqual(up, expected);
      const falling: number[] = [];
      for await (const { seq } of merge(
        sources.map((all) => numbers([...all].reverse())),
        (a, b) => rising(b, a),
      ))
        falling.push(seq);
      assert.deepEqual(falling, [...expected].reverse());
    });
    await fc.assert(property);
  });

  it('gives equals in the order of their sources', async () => {
    const of = async function* (name: string) {
      await Promise.resolve();
      for (const seq of [1, 2]) yield { seq, name };
    };
    const names: string[] = [];
    for await (const { seq, name } of merge([of('a'), of('b'), of('c')], rising)) names.push(`${name}${seq}`);
    assert.deepEqual(names, ['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  });

  it('closes all of its sources when the reader stops early', async () => {
    let ended = 0;
    for await (const { seq } of merge(
      [numbers([1, 3], () => ended++), numbers([2, 4], () => ended++)],
      rising,
    ))
      if (seq === 2) break;
    assert.equal(ended, 2);
  });
});
