import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { idMaker } from '../../api/ids.ts';
import { isId } from '../../specs/meta.ts';

describe('idMaker', () => {
  it('never goes back, even when the clock stands still or is set back', () => {
    const times = [1_000, 1_000, 1_000, 500, 2_000, 1_999];
    const newId = idMaker({ now: () => times.shift() ?? 3_000, after: () => () => undefined }, randomBytes);
    const ids = Array.from({ length: 8 }, () => newId('deployment'));
    assert.deepEqual([...ids].sort(), ids);
    assert.ok(ids.every((id) => isId('deployment', id)));
  });
});
