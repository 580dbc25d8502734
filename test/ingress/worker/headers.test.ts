import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { requestHeaders, responseHeaders } from '../../../ingress/worker/headers.ts';

const client = { address: '192.0.2.7', scheme: 'http', authority: 'a.test:8080' } as const;
const told = [
  ...['X-Forwarded-For', '192.0.2.7', 'X-Real-IP', '192.0.2.7'],
  ...['X-Forwarded-Proto', 'http', 'X-Forwarded-Host', 'a.test:8080'],
];

const requests: [what: string, given: string[], passed: string[]][] = [
  [
    'order, spelling and repetition stay',
    ['HOST', 'a', 'x-B', '1', 'x-b', '2'],
    ['HOST', 'a', 'x-B', '1', 'x-b', '2'],
  ],
  [
    'what is about the connection goes',
    [
      'Connection',
      'keep-alive',
      'Keep-Alive',
      'timeout=5',
      'TE',
      'trailers',
      'Trailer',
      'X',
      'Upgrade',
      'h2c',
      'HTTP2-Settings',
      'a',
      'Proxy-Authorization',
      'b',
      'Proxy-Connection',
      'c',
    ],
    [],
  ],
  [
    'what Connection names goes',
    ['Connection', 'close, X-Private', 'X-Private', '1', 'X-Public', '2'],
    ['X-Public', '2'],
  ],
  [
    'Connection cannot name what a service relies on',
    [
      'Connection',
      'Host, cookie,Authorization, X-Forwarded-For, Content-Length, Content-Type',
      'Host',
      'a',
      'Cookie',
      'b',
      'Authorization',
      'c',
      'Content-Length',
      '1',
      'Content-Type',
      'd',
    ],
    ['Host', 'a', 'Cookie', 'b', 'Authorization', 'c', 'Content-Length', '1', 'Content-Type', 'd'],
  ],
  [
    'nobody else says where a request comes from',
    [
      'X-Forwarded-For',
      '1.1.1.1',
      'x-forwarded-host',
      'evil',
      'X-Forwarded-Proto',
      'https',
      'X-Forwarded-Port',
      '1',
      'X-Forwarded-Anything',
      '1',
      'X-Real-IP',
      '1.1.1.1',
      'Forwarded',
      'for=1.1.1.1',
    ],
    [],
  ],
  [
    'what makes frameworks route elsewhere goes',
    ['X-Original-URL', '/admin', 'X-Rewrite-URL', '/admin', 'Proxy', 'http://evil'],
    [],
  ],
  [
    'names with an underscore go',
    ['Content_Length', '1', 'X_Forwarded_For', '1.1.1.1', 'X-Ok', '1'],
    ['X-Ok', '1'],
  ],
  ['bytes of values stay', ['X-Bytes', 'caf\u00e9 \u00ff'], ['X-Bytes', 'caf\u00e9 \u00ff']],
];

describe('to the replica', () => {
  for (const [what, given, passed] of requests) {
    test(what, () => assert.deepEqual(requestHeaders(given, client, 'none'), [...passed, ...told]));
  }

  test('a chunked body is chunked again', () => {
    const given = ['Transfer-Encoding', 'chunked', 'X', '1'];
    assert.deepEqual(requestHeaders(given, client, 'chunked'), [
      'X',
      '1',
      'Transfer-Encoding',
      'chunked',
      ...told,
    ]);
  });
});

describe('to the client', () => {
  test('all but what is about the connection', () => {
    const given = [
      'Connection',
      'X-Private',
      'X-Private',
      '1',
      'Transfer-Encoding',
      'chunked',
      'Keep-Alive',
      'timeout=5',
      'Set-Cookie',
      'a',
      'Set-Cookie',
      'b',
    ];
    assert.deepEqual(responseHeaders(given), ['Set-Cookie', 'a', 'Set-Cookie', 'b']);
  });

  test('the length of the body stays whatever Connection names', () => {
    assert.deepEqual(responseHeaders(['Connection', 'Content-Length', 'Content-Length', '3']), [
      'Content-Length',
      '3',
    ]);
  });
});
