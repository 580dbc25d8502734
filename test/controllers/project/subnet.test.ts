import assert from 'node:assert/strict';
import { it } from 'node:test';
import { freeSubnet } from '../../../controllers/project/subnet.ts';

it('takes the first range that nothing overlaps with', () => {
  assert.equal(freeSubnet([]), '10.200.0.0/24');
  assert.equal(freeSubnet(['10.200.0.0/24', '172.17.0.0/16']), '10.200.1.0/24');
  assert.equal(freeSubnet(['10.200.0.0/16']), '10.201.0.0/24');
  assert.equal(freeSubnet(['10.200.0.128/25', 'fe80::/10']), '10.200.1.0/24');
});

it('refuses when everything is taken, but does not take a default route for a range', () => {
  assert.equal(freeSubnet(['0.0.0.0/0']), '10.200.0.0/24');
  assert.throws(() => freeSubnet(['10.0.0.0/8']), /no free IPv4 range/);
});
