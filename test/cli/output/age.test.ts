import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { age, elapsed } from '../../../cli/output/age.ts';

const now = Date.UTC(2030, 0, 1);
const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000] as const;

describe('an age', () => {
  const rows: [number, string][] = [
    [0, '0s'],
    [-5 * second, '0s'],
    [119 * second, '119s'],
    [2 * minute, '2m'],
    [3 * minute + 20 * second, '3m20s'],
    [10 * minute + 59 * second, '10m'],
    [179 * minute, '179m'],
    [3 * hour + 5 * minute, '3h5m'],
    [8 * hour + 5 * minute, '8h'],
    [47 * hour, '47h'],
    [48 * hour, '2d'],
    [729 * day, '729d'],
    [731 * day, '2y1d'],
  ];
  for (const [ms, text] of rows) {
    it(`of ${ms} ms is ${text}`, () => assert.equal(age(new Date(now - ms).toISOString(), now), text));
  }

  it('of what is no time is unknown', () => assert.equal(age('yesterday', now), '?'));
});

describe('how long something took', () => {
  const rows: [number, string][] = [
    [0, '0.0s'],
    [349, '0.3s'],
    [59_900, '59.9s'],
    [59_999, '60.0s'],
    [60_000, '1m00s'],
    [125_400, '2m05s'],
  ];
  for (const [ms, text] of rows) it(`${ms} ms is ${text}`, () => assert.equal(elapsed(ms), text));
});
