import assert from 'node:assert/strict';
import { it } from 'node:test';
import { grouped } from '../../../cli/output/grouped.ts';

it('sets the thousands of a count apart', () => {
  const written = [0, 7, 999, 1_000, 123_456, 1_234_567].map(grouped);
  assert.deepEqual(written, ['0', '7', '999', '1,000', '123,456', '1,234,567']);
});
