import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseListenAddress } from '../../ingress/listen-address.ts';

const table: [text: string, address: object | undefined][] = [
  [':80', { port: 80 }],
  ['*:80', { port: 80 }],
  ['127.0.0.1:8080', { host: '127.0.0.1', port: 8080 }],
  ['localhost:0', { host: 'localhost', port: 0 }],
  ['[::1]:8080', { host: '::1', port: 8080 }],
  ['::1:8080', undefined],
  ['8080', undefined],
  ['', undefined],
  [':65536', undefined],
  [':http', undefined],
];

for (const [text, address] of table) {
  test(`${JSON.stringify(text)} is ${address === undefined ? 'refused' : JSON.stringify(address)}`, () => {
    if (address === undefined) assert.throws(() => parseListenAddress(text), /host:port/);
    else assert.deepEqual(parseListenAddress(text), address);
  });
}
