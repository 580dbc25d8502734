import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { surplus, type KeptLog } from '../../../controllers/logs/bound.ts';

const log = (replica: string, isLive: boolean, ...lasts: number[]): KeptLog => ({
  replica,
  isLive,
  files: lasts.map((last) => ({ last, size: 10 })),
});
const drops = (logs: KeptLog[], bytes: number, oldest = 0) =>
  Object.fromEntries(surplus(logs, { bytes, oldest }));

describe('what goes of a service’s logs', () => {
  for (const [what, logs, bytes, oldest, expected] of [
    ['nothing within the bounds', [log('a', true, 1, 2)], 20, 0, {}],
    [
      'the oldest of a replica that has ended',
      [log('new', true, 1, 9), log('old', false, 5, 6)],
      30,
      0,
      { old: 1 },
    ],
    [
      'of those that have ended, the one that ended first',
      [log('b', false, 7, 8), log('a', false, 5, 6), log('live', true, 1)],
      20,
      0,
      { a: 2, b: 1 },
    ],
    [
      'of those that run, the one that has most',
      [log('quiet', true, 1, 2), log('loud', true, 3, 4, 5)],
      40,
      0,
      { loud: 1 },
    ],
    ['never the newest file of one that runs', [log('a', true, 1), log('b', true, 2, 3)], 0, 0, { b: 1 }],
    [
      'what is too old',
      [log('a', true, 1, 2, 3), log('b', false, 4, 9), log('c', false, 1)],
      99,
      5,
      { a: 2, b: 1, c: 1 },
    ],
  ] as const) {
    it(`is ${what}`, () => assert.deepEqual(drops([...logs], bytes, oldest), expected));
  }

  it('leaves no more than the bound, or nothing that could go', () => {
    const files = fc.array(fc.record({ size: fc.integer({ min: 1, max: 50 }), last: fc.nat(100) }), {
      minLength: 1,
    });
    const logs = fc.array(fc.record({ isLive: fc.boolean(), files }), { maxLength: 6 });
    const property = fc.property(logs, fc.nat(300), (found, bytes) => {
      const all = found.map((one, index) => ({ ...one, replica: `${index}` }));
      const gone = surplus(all, { bytes, oldest: 0 });
      const left = all.map(({ replica, ...one }) => ({
        ...one,
        files: one.files.slice(gone.get(replica) ?? 0),
      }));
      const size = left.flatMap(({ files: kept }) => kept).reduce((sum, file) => sum + file.size, 0);
      assert.ok(size <= bytes || left.every(({ isLive, files: kept }) => kept.length === (isLive ? 1 : 0)));
    });
    fc.assert(property);
  });
});
