import assert from 'node:assert/strict';
import { it } from 'node:test';
import { freeSubnet, overlaps } from '../../../controllers/project/subnet.ts';

/** The name at which the search begins with the last range of all. */
const last = Array.from({ length: 100_000 }, (_, n) => `svc-${n}`).find(
  (name) => freeSubnet([], name) === '10.254.255.0/24',
);

it('takes the first range that nothing overlaps with, from where the name says, going round', () => {
  assert.ok(last !== undefined);
  assert.equal(freeSubnet(['10.254.255.0/24', '172.17.0.0/16'], last), '10.200.0.0/24');
  assert.equal(freeSubnet(['10.254.0.0/16', '10.200.0.0/24'], last), '10.200.1.0/24');
  assert.equal(freeSubnet(['10.254.0.0/16', '10.200.0.0/16'], last), '10.201.0.0/24');
  assert.equal(freeSubnet(['10.254.255.0/24', '10.200.0.128/25', 'fe80::/10'], last), '10.200.1.0/24');
});

it('spreads names over the ranges', () => {
  const names = Array.from({ length: 100 }, (_, n) => `svc-node${n}-demo`);
  assert.ok(new Set(names.map((name) => freeSubnet([], name))).size > 95);
});

it('refuses when everything is taken, but does not take a default route for a range', () => {
  assert.equal(freeSubnet(['0.0.0.0/0'], 'a'), freeSubnet([], 'a'));
  assert.throws(() => freeSubnet(['10.0.0.0/8'], 'a'), /no free IPv4 range/);
});

it('knows which ranges have an address in common', () => {
  assert.ok(overlaps('10.1.0.0/16', '10.1.255.0/24'));
  assert.ok(!overlaps('10.1.0.0/16', '10.2.0.0/24'));
  assert.ok(!overlaps('fd00::/8', '10.2.0.0/24'));
});
