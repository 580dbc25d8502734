import assert from 'node:assert/strict';
import { it } from 'node:test';
import { allowedFor, parseCidrs } from '../../../controllers/network/addresses.ts';

const open = ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946', '1.1.1.1', '172.32.0.1', '100.128.0.1'];
const translatedOpen = ['::ffff:93.184.216.34', '64:ff9b::5db8:d822', '64:ff9b::1.1.0.0'];
const own = ['10.0.0.1', '172.31.255.254', '192.168.1.1', '100.64.0.1', 'fc00::1', 'fd12:3456::1'];
const never = [
  ...['0.0.0.0', '0.1.2.3', '127.0.0.1', '127.255.255.254', '169.254.169.254', '192.0.0.192', '198.19.1.1'],
  ...['100.100.100.200', '168.63.129.16', '224.0.0.1', '240.0.0.1', '255.255.255.255', '192.0.2.7'],
  ...['::', '::1', '0:0:0:0:0:0:0:1', '::127.0.0.1', '::ffff:127.0.0.1', '0:0:0:0:0:ffff:7f00:0001'],
  ...['::ffff:169.254.169.254', '64:ff9b::7f00:1', '64:ff9b:1::5db8:d822', '2002:7f00:1::', '2001::1'],
  ...[
    'fe80::1',
    'fe80::1%lo',
    '2606:2800::1%lo',
    'fec0::1',
    'ff02::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    '2001:db8::1',
    '3fff::1',
  ],
];
const noAddresses = [
  ...['', 'localhost', 'example.com', '0', '127.0.1', '0x7f000001', '2130706433', '017700000001'],
  ...['127.000.000.001', '127.0.0.1.', '[::1]', '1.1.1.1/32', ' 1.1.1.1', '①②⑦.⓪.⓪.①', '１２７.０.０.１'],
];

it('is open to public addresses, translated ones included', () => {
  for (const address of [...open, ...translatedOpen]) {
    assert.equal(allowedFor(address, 'domain', []), true, address);
    assert.equal(allowedFor(address, 'git', []), true, address);
  }
});

it('keeps private networks for Git', () => {
  for (const address of [...own, '::ffff:10.0.0.1', '64:ff9b::a00:1']) {
    assert.equal(allowedFor(address, 'domain', []), false, address);
    assert.equal(allowedFor(address, 'git', []), true, address);
  }
});

it('refuses this host, links, metadata and whatever is no address', () => {
  for (const address of [...never, ...noAddresses]) {
    assert.equal(allowedFor(address, 'domain', []), false, address);
    assert.equal(allowedFor(address, 'git', []), false, address);
  }
});

it('opens the ranges that the node allows, and no others', () => {
  const allow = parseCidrs('127.0.0.0/8, fd12::/16,192.168.1.1');
  for (const address of ['127.0.0.1', '::ffff:127.9.9.9', '64:ff9b::7f00:1', 'fd12:3456::1', '192.168.1.1'])
    assert.equal(allowedFor(address, 'domain', allow), true, address);
  for (const address of ['192.168.1.2', '10.0.0.1', '::1', 'fd13::1', 'localhost'])
    assert.equal(allowedFor(address, 'domain', allow), false, address);
});

it('reads ranges', () => {
  assert.deepEqual(parseCidrs(''), []);
  assert.deepEqual(parseCidrs(' ::1 , 10.0.0.0/8'), [
    { address: '::1', prefix: 128, family: 'ipv6' },
    { address: '10.0.0.0', prefix: 8, family: 'ipv4' },
  ]);
  for (const wrong of [
    '10.0.0.0/33',
    '10.0.0/8',
    '::/129',
    '1.1.1.1/',
    '1.1.1.1/8/8',
    '1.1.1.1/-1',
    'all',
    'fe80::1%lo/64',
  ])
    assert.throws(() => parseCidrs(wrong), /is no range of addresses/, wrong);
});
