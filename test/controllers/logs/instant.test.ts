import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isAfter } from '../../../controllers/logs/instant.ts';

describe('isAfter', () => {
  it('compares to the nanosecond, whatever the number of digits and the zone', () => {
    const rising = [
      '2030-01-01T00:00:00Z',
      '2030-01-01T00:00:00.000000001Z',
      '2030-01-01T00:00:00.1Z',
      '2030-01-01T00:00:00.100000001Z',
      '2030-01-01T02:00:00.2+02:00',
      '2030-01-01T00:00:01Z',
    ];
    for (const [i, a] of rising.entries())
      for (const [j, b] of rising.entries()) assert.equal(isAfter(a, b), i > j, `${a} ${b}`);
    assert.equal(isAfter('2030-01-01T00:00:00.10Z', '2030-01-01T00:00:00.1Z'), false);
  });
});
