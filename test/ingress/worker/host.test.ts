import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalHost } from '../../../ingress/worker/host.ts';

const table: [authority: string, host: string | undefined][] = [
  ['shop.example.com', 'shop.example.com'],
  ['Shop.EXAMPLE.com', 'shop.example.com'],
  ['shop.example.com:8080', 'shop.example.com'],
  ['shop.example.com:', 'shop.example.com'],
  ['shop.example.com.', 'shop.example.com'],
  ['shop.example.com.:443', 'shop.example.com'],
  ['shop.example.com..', 'shop.example.com.'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['a_b.example', 'a_b.example'],
  ['127.0.0.1:80', '127.0.0.1'],
  ['[::1]:80', '[::1]'],
  ['[::FFFF:1.2.3.4]', '[::ffff:1.2.3.4]'],
  ['', undefined],
  ['.', undefined],
  [':80', undefined],
  ['::1', undefined],
  ['a b', undefined],
  ['user@shop.example.com', undefined],
  ['user:secret@shop.example.com', undefined],
  ['shop.example.com:80:80', undefined],
  ['shop.example.com:8o', undefined],
  ['shop.example.com:123456', undefined],
  ['shop.example.com/', undefined],
  ['shop.example.com?', undefined],
  ['shop.example.com#a', undefined],
  ['shop.example.com,other.example.com', undefined],
  ['b\u00fccher.example', undefined],
  ['shop.example.com\u0000', undefined],
  ['%73hop.example.com', undefined],
  ['[::1', undefined],
  [`${'a'.repeat(260)}.`, undefined],
];

for (const [authority, host] of table) {
  test(`${JSON.stringify(authority.slice(0, 40))} is ${host ?? 'refused'}`, () => {
    assert.equal(canonicalHost(authority), host);
  });
}
