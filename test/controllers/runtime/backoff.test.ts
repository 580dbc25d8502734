import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  afterFailure,
  backoffDelay,
  eventFloor,
  isNew,
  type Backoff,
} from '../../../controllers/runtime/backoff.ts';

const highest = (count: number) => new Uint8Array(count).fill(255);
const lowest = (count: number) => new Uint8Array(count);

describe('backoffDelay', () => {
  const table: [failures: number, shortest: number, longest: number][] = [
    [1, 4, 5],
    [2, 8, 10],
    [3, 15, 20],
    [10, 1_920, 2_560],
    [16, 122_880, 163_840],
    [17, 225_000, 300_000],
    [18, 225_000, 300_000],
    [10_000, 225_000, 300_000],
  ];
  for (const [failures, shortest, longest] of table) {
    it(`is ${shortest} to ${longest} ms after failure ${failures}`, () => {
      assert.equal(backoffDelay(failures, lowest), shortest);
      assert.equal(backoffDelay(failures, highest), longest);
    });
  }

  it('never leaves its bounds', () => {
    const bytes = fc.uint8Array({ minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 }), bytes, (failures, noise) => {
        const delay = backoffDelay(failures, () => noise);
        assert.ok(Number.isInteger(delay) && delay >= 4 && delay <= 300_000, String(delay));
      }),
    );
  });
});

describe('afterFailure', () => {
  const third: Backoff = { failures: 3, generation: 7, delay: 20 };
  const table: [
    name: string,
    before: Backoff | undefined,
    generation: number | undefined,
    failures: number,
    kept: number | undefined,
  ][] = [
    ['the first failure', undefined, 7, 1, 7],
    ['the same generation', third, 7, 4, 7],
    ['another generation', third, 8, 1, 8],
    ['a generation that cannot be read', third, undefined, 4, 7],
    ['a generation that could not be read before', { ...third, generation: undefined }, 7, 4, 7],
    ['none that could ever be read', undefined, undefined, 1, undefined],
  ];
  for (const [name, before, generation, failures, kept] of table) {
    it(`counts ${failures} at ${name}`, () => {
      const { delay, ...rest } = afterFailure(before, generation, highest);
      assert.deepEqual(rest, { failures, generation: kept });
      assert.equal(delay, backoffDelay(failures, highest));
    });
  }
});

describe('isNew', () => {
  const table: [failed: number | undefined, woken: number | undefined, expected: boolean][] = [
    [7, 8, true],
    [7, 7, false],
    [7, undefined, false],
    [undefined, 7, true],
    [undefined, undefined, false],
  ];
  for (const [failed, woken, expected] of table) {
    it(`is ${expected} for a wake of ${woken ?? 'no'} generation after ${failed ?? 'an unknown one'} failed`, () => {
      assert.equal(isNew({ failures: 1, generation: failed, delay: 5 }, woken), expected);
    });
  }
});

it('lets no event come sooner than the retry or one second, whichever is less', () => {
  assert.equal(eventFloor({ failures: 1, generation: 1, delay: 5 }), 5);
  assert.equal(eventFloor({ failures: 20, generation: 1, delay: 300_000 }), 1_000);
});
