import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { isId, newId } from '../../specs/meta.ts';

const digits = '0123456789abcdefghjkmnpqrstvwxyz';

it('an id holds its time and its random bytes, digit by digit', () => {
  const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), bytes, (now, random) => {
      const id = newId('service', now, random);
      assert.ok(isId('service', id), id);
      const value = Array.from(id.slice(4)).reduce(
        (sum, digit) => sum * 32n + BigInt(digits.indexOf(digit)),
        0n,
      );
      assert.equal(value >> 80n, BigInt(now));
      assert.equal(
        (value & ((1n << 80n) - 1n)).toString(16).padStart(20, '0'),
        Buffer.from(random).toString('hex'),
      );
    }),
  );
});
