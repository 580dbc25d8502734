import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unixTime } from '../../../../controllers/engine/docker/logs.ts';

describe('unixTime', () => {
  it('keeps every nanosecond', () => {
    assert.equal(unixTime('2030-01-01T00:00:00Z'), '1893456000.000000000');
    assert.equal(unixTime('2030-01-01T00:00:00.5Z'), '1893456000.500000000');
    assert.equal(unixTime('2030-01-01T00:00:00.123456789Z'), '1893456000.123456789');
  });

  for (const text of ['', 'yesterday', '2030-01-01', '2030-01-01T00:00:00+02:00', '2030-13-01T00:00:00Z'])
    it(`refuses "${text}"`, () => assert.throws(() => unixTime(text), { code: 'refused' }));
});
