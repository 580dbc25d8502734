import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { percentile } from '../../../controllers/metrics/percentile.ts';

const bounds = [1, 10, 100];

describe('percentile', () => {
  for (const [what, counts, share, expected] of [
    ['nothing, when nothing was counted', [0, 0, 0, 0], 0.5, undefined],
    ['the middle of the one bucket', [0, 10, 0, 0], 0.5, 5.5],
    ['the end of the bucket that it ends with', [5, 5, 0, 0], 0.5, 1],
    ['a place in the next bucket', [5, 5, 0, 0], 0.9, 8.2],
    ['past empty buckets', [1, 0, 1, 0], 0.99, 98.2],
    ['the last bound, for what is above it', [0, 0, 0, 4], 0.5, 100],
    ['the beginning, for the least', [4, 0, 0, 0], 0, 0],
  ] as const) {
    it(`is ${what}`, () => {
      const found = percentile(counts, bounds, share);
      assert.equal(found === undefined ? undefined : Math.round(found * 1e6) / 1e6, expected);
    });
  }

  it('rises with its share, and lies in the bucket of the value itself', () => {
    const values = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 50 });
    const property = fc.property(values, fc.integer({ min: 1, max: 100 }), (all, percent) => {
      const counts = [0, 0, 0, 0];
      for (const value of all) {
        const bucket = value <= 1 ? 0 : value <= 10 ? 1 : 2;
        counts[bucket] = (counts[bucket] ?? 0) + 1;
      }
      const sorted = all.toSorted((a, b) => a - b);
      const exact = sorted[Math.ceil((percent / 100) * all.length) - 1] ?? 0;
      const found = percentile(counts, bounds, percent / 100) ?? NaN;
      const [low, high] = exact <= 1 ? [0, 1] : exact <= 10 ? [1, 10] : [10, 100];
      assert.ok(found >= low - 1e-9 && found <= high + 1e-9, `${found} for ${exact}`);
      assert.ok(found <= (percentile(counts, bounds, 1) ?? NaN) + 1e-9);
    });
    fc.assert(property);
  });
});
