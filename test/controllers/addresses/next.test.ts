import assert from 'node:assert/strict';
import { it } from 'node:test';
import { nextAddress } from '../../../controllers/addresses/next.ts';

it('begins after the gateway and goes round the range, so that an address comes back late', () => {
  assert.equal(nextAddress('10.200.3.0/24', []), '10.200.3.2');
  assert.equal(nextAddress('10.200.3.0/24', ['10.200.3.9', '10.200.3.2']), '10.200.3.10');
  assert.equal(nextAddress('10.200.3.0/24', ['10.200.3.254']), '10.200.3.2');
  assert.equal(nextAddress('10.200.3.0/24', ['10.200.3.254', '10.200.3.2']), '10.200.3.3');
});

it('refuses when the range is full, and says what to do', () => {
  const all = Array.from({ length: 253 }, (_, n) => `10.200.3.${n + 2}`);
  assert.throws(() => nextAddress('10.200.3.0/24', all), /no free address: stop something/);
  assert.equal(nextAddress('10.200.3.0/24', all.slice(1)), '10.200.3.2');
});
