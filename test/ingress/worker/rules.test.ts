import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect, type Head } from '../../../ingress/worker/rules.ts';

function head(url: string, rawHeaders: string[], more: Partial<Head> = {}): Head {
  return { method: 'GET', url, httpVersion: '1.1', rawHeaders, ...more };
}

const accepted: [what: string, head: Head, target: string, framing: string][] = [
  ['the usual', head('/a?b', ['Host', 'a.test']), '/a?b', 'none'],
  [
    'bytes of the path as they are',
    head('//a/%2e%2E/..;\\x', ['Host', 'a.test']),
    '//a/%2e%2E/..;\\x',
    'none',
  ],
  ['a length', head('/', ['Host', 'a.test', 'content-LENGTH', '12'], { method: 'POST' }), '/', 'length'],
  ['chunks', head('/', ['Host', 'a.test', 'Transfer-Encoding', 'Chunked']), '/', 'chunked'],
  ['absolute-form', head('http://A.test:80/a', ['Host', 'a.test']), '/a', 'none'],
  ['absolute-form without a path', head('http://a.test', ['Host', 'a.test']), '/', 'none'],
  ['absolute-form with only a query', head('http://a.test?q', ['Host', 'a.test']), '/?q', 'none'],
  ['OPTIONS *', head('*', ['Host', 'a.test'], { method: 'OPTIONS' }), '*', 'none'],
  ['HTTP/1.0', head('/', ['Host', 'a.test'], { httpVersion: '1.0' }), '/', 'none'],
  ['a hundred headers', head('/', ['Host', 'a.test', ...many(99)]), '/', 'none'],
];

const refused: [what: string, head: Head, page: string][] = [
  ['no Host', head('/', [], { httpVersion: '1.0' }), 'badRequest'],
  ['two Hosts', head('/', ['Host', 'a.test', 'host', 'a.test']), 'badRequest'],
  ['a Host that is none', head('/', ['Host', 'a.test b.test']), 'badRequest'],
  ['absolute-form that disagrees with Host', head('http://b.test/', ['Host', 'a.test']), 'badRequest'],
  ['absolute-form with a user', head('http://u@a.test/', ['Host', 'a.test']), 'badRequest'],
  ['another scheme', head('ftp://a.test/', ['Host', 'a.test']), 'badRequest'],
  ['authority-form', head('a.test:80', ['Host', 'a.test']), 'badRequest'],
  ['GET *', head('*', ['Host', 'a.test']), 'badRequest'],
  ['nothing for a target', head('', ['Host', 'a.test']), 'badRequest'],
  [
    'a coding besides chunked',
    head('/', ['Host', 'a.test', 'Transfer-Encoding', 'gzip, chunked']),
    'badRequest',
  ],
  ['identity', head('/', ['Host', 'a.test', 'Transfer-Encoding', 'identity']), 'badRequest'],
  [
    'chunked twice',
    head('/', ['Host', 'a.test', 'Transfer-Encoding', 'chunked', 'Transfer-Encoding', 'chunked']),
    'badRequest',
  ],
  [
    'a length and chunks',
    head('/', ['Host', 'a.test', 'Content-Length', '1', 'Transfer-Encoding', 'chunked']),
    'badRequest',
  ],
  ['two lengths', head('/', ['Host', 'a.test', 'Content-Length', '1', 'Content-Length', '1']), 'badRequest'],
  ['a length with a sign', head('/', ['Host', 'a.test', 'Content-Length', '+1']), 'badRequest'],
  [
    'chunks in HTTP/1.0',
    head('/', ['Host', 'a.test', 'Transfer-Encoding', 'chunked'], { httpVersion: '1.0' }),
    'badRequest',
  ],
  ['CONNECT', head('a.test:80', ['Host', 'a.test'], { method: 'CONNECT' }), 'methodNotAllowed'],
  ['TRACE', head('/', ['Host', 'a.test'], { method: 'TRACE' }), 'methodNotAllowed'],
  ['HTTP/2.0 on a line', head('/', ['Host', 'a.test'], { httpVersion: '2.0' }), 'badVersion'],
  ['101 headers', head('/', ['Host', 'a.test', ...many(100)]), 'headersTooMany'],
];

function many(count: number): string[] {
  return Array.from({ length: count }, (_, at) => [`X-${at}`, 'v']).flat();
}

for (const [what, request, target, framing] of accepted) {
  test(`lets through: ${what}`, () => {
    const result = inspect(request);
    assert.ok('host' in result);
    assert.deepEqual([result.host, result.target, result.framing], ['a.test', target, framing]);
  });
}

for (const [what, request, page] of refused) {
  test(`refuses: ${what}`, () => assert.deepEqual(inspect(request), { refused: page }));
}
