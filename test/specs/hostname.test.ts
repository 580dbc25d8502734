import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { canonicalHostname, isWithin } from '../../specs/hostname.ts';

const corpus = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(`../corpora/hostnames/${file}`, import.meta.url), 'utf8'));
const hostnameOf = (text: string): string | undefined => {
  const result = canonicalHostname(text);
  return 'hostname' in result ? result.hostname : undefined;
};

describe('a canonical hostname', () => {
  const same: Record<string, string> = {
    'shop.example.com': 'shop.example.com',
    'Shop.EXAMPLE.com.': 'shop.example.com',
    'a.b': 'a.b',
    '1.example.com': '1.example.com',
    'r3---sn.example.com': 'r3---sn.example.com',
    'Bücher.de': 'xn--bcher-kva.de',
    'faß.de': 'xn--fa-hia.de',
    'xn--bcher-kva.de': 'xn--bcher-kva.de',
    'shop。example．com': 'shop.example.com',
    'ｓｈｏｐ.example': 'shop.example',
    'nas.home.arpa': 'nas.home.arpa',
    'git.internal': 'git.internal',
    'co.uk': 'co.uk',
  };
  for (const [text, hostname] of Object.entries(same))
    it(`of ${text} is ${hostname}`, () => assert.equal(hostnameOf(text), hostname));

  it('is at most 253 characters long, in parts of at most 63', () => {
    const label = 'a'.repeat(63);
    const longest = [label, label, label, 'a'.repeat(61)].join('.');
    assert.equal(hostnameOf(longest), longest);
    assert.equal(hostnameOf(`${longest}.`), longest);
    assert.deepEqual(canonicalHostname(`a${label}.example`), {
      fault: 'has a part of more than 63 characters',
    });
    assert.deepEqual(canonicalHostname(`a.${longest}`), { fault: 'is longer than 253 characters' });
    assert.equal(hostnameOf('é'.repeat(100_000)), undefined);
  });

  const refused: [text: string, fault: RegExp][] = [
    ['*.example.com', /wildcard/],
    ['com', /one part only/],
    ['localhost', /ends in \.localhost/],
    ['web.localhost.', /ends in \.localhost/],
    ['printer.local', /ends in \.local,/],
    ['abc.onion', /ends in \.onion/],
    ['1.0.0.127.in-addr.arpa', /ends in \.arpa/],
    ['home.arpa', /ends in \.arpa/],
    ['-a.example.com', /no hyphen at either end/],
    ['a-.example.com', /no hyphen at either end/],
    ['a..example.com', /no hostname/],
    ['a.example.com..', /no hostname/],
    ['.example.com', /no hostname/],
  ];
  for (const [text, fault] of refused)
    it(`is not ${text}`, () => {
      const result = canonicalHostname(text);
      assert.match('fault' in result ? result.fault : '', fault);
    });

  const unreadable = [
    ...['', '.', '..', 'a_b.example.com', 'a b.example.com', ' a.example.com', 'a.example.com\n', 'a\t.b'],
    ...['a.example.com:80', 'http://a.example.com', 'a.example.com/x', 'a.example.com?x', 'a.example.com#x'],
    ...[
      'u@a.example.com',
      'a\\b.example.com',
      'a%2eb.example.com',
      'a.b％',
      'a\u0000.b',
      '[::1]',
      '::1',
      '1::2.b',
    ],
    ...['1.2.3.4', '127.1', '0x7f.1', 'a.1', 'a.0x1', 'a.１', '127。0。0。1', '1.2.3.4.'],
    ...['xn--a.example.com', 'a.xn--zzzzzzz-.com', 'a⩴80.b', 'a\ud800.b', '\u200d.example', 'a\u202e.b'],
  ];
  for (const text of unreadable)
    it(`is not ${JSON.stringify(text)}`, () => assert.equal(hostnameOf(text), undefined));

  it('is never a way to write an address, or this host', () => {
    for (const host of corpus('special-hosts.json') as string[]) {
      // A name like any other: its addresses are judged when it is looked at.
      if (/^(metadata\.google|gateway\.docker)\.internal$/.test(host)) continue;
      assert.equal(hostnameOf(host), undefined, host);
    }
  });

  it('is what browsers make of a name, and stays itself', () => {
    const rows = (corpus('toascii.json') as (string | { input: string; output: string | null })[]).filter(
      (row) => typeof row !== 'string',
    );
    assert.ok(rows.length > 80);
    let accepted = 0;
    for (const { input, output } of rows) {
      const hostname = hostnameOf(input);
      if (hostname === undefined) continue;
      accepted += 1;
      assert.equal(hostname, output, input);
      assert.equal(hostnameOf(hostname), hostname, input);
    }
    assert.ok(accepted > 20, String(accepted));
  });
});

it('a name lies within a domain when it is the domain, or ends in it after a dot', () => {
  assert.ok(isWithin('apps.test', 'apps.test') && isWithin('a.b.apps.test', 'apps.test'));
  assert.ok(!isWithin('myapps.test', 'apps.test') && !isWithin('apps.test', 'a.apps.test'));
});
