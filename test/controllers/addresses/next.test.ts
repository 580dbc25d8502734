import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isWithin, nextAddress } from '../../../controllers/addresses/next.ts';

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

it('does not mind addresses of a range that the project had before', () => {
  assert.equal(nextAddress('10.200.3.0/24', ['10.240.9.7', '10.200.3.9', '10.200.2.2']), '10.200.3.10');
  assert.ok(isWithin('10.200.3.255', '10.200.3.0/24'));
  assert.ok(!isWithin('10.200.4.0', '10.200.3.0/24') && !isWithin('10.200.2.255', '10.200.3.0/24'));
});
