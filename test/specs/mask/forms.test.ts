import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { patternsOf } from '../../../specs/mask/forms.ts';

const withoutBreaks = (text: string) => text.replaceAll(/[\r\n]/g, '');
const isFound = (value: string, text: string) =>
  patternsOf(value).some((pattern) => withoutBreaks(text).includes(pattern.text));

const url = `postgres://app:p"a's$w\\rd&<ü>@db/shop?x=1&y=a b`;

const ascii = url.replace('ü', 'u');

/** What a shell says of its variables. */
function printedBy(shell: string, command: string): string {
  return execFileSync(shell, ['-c', command], { encoding: 'utf8', env: { SECRET: ascii } });
}

describe('patternsOf', () => {
  for (const [what, text] of [
    ['as it is', url],
    ['in JSON', JSON.stringify({ url })],
    ['in JSON of Python', '"postgres://app:p\\"a\'s$w\\\\rd&<\\u00fc>@db/shop?x=1&y=a b"'],
    ['in JSON of Go', '"postgres://app:p\\"a\'s$w\\\\rd\\u0026\\u003cü\\u003e@db/shop?x=1\\u0026y=a b"'],
    ['in a query', `?next=${encodeURIComponent(url)}&x`],
    ['in a query in lower case', encodeURIComponent(url).replaceAll(/%../g, (byte) => byte.toLowerCase())],
    ['in a form', new URLSearchParams({ url }).toString()],
    ['as a URL', encodeURI(url)],
    ['in HTML', `<b>postgres://app:p&quot;a&#39;s$w\\rd&amp;&lt;ü&gt;@db/shop?x=1&amp;y=a b</b>`],
    ['with other white space around it', `  ${url}\n`],
  ] as const) {
    it(`finds a value ${what}`, () => assert.ok(isFound(url, text), text));
  }

  for (const [shell, command] of [
    ['bash', 'set'],
    ['bash', 'export -p'],
    ['sh', 'set'],
    ['sh', 'export -p'],
  ] as const) {
    it(`finds a value in what ${shell} prints for ${command}`, () => {
      const text = printedBy(shell, command);
      assert.ok(isFound(ascii, text), text);
    });
  }

  it('finds a value inside base64, wherever it stands in it', () => {
    const [bytes, text] = [fc.uint8Array({ maxLength: 9 }), fc.string({ unit: 'binary', minLength: 8 })];
    fc.assert(
      fc.property(bytes, text, bytes, (before, value, after) => {
        const all = Buffer.concat([before, Buffer.from(value.trim()), after]);
        fc.pre(value.trim().length >= 8);
        assert.ok(isFound(value, all.toString('base64').replaceAll(/.{76}/g, '$&\n')));
        assert.ok(isFound(value, all.toString('base64url')));
      }),
    );
  });

  it('finds a value of several lines whole and by each line that gives something away', () => {
    const pem = `-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n  hkiG9w0BAQEFAASC\nAg==\n-----END PRIVATE KEY-----\n`;
    for (const text of [pem, JSON.stringify(pem), 'hkiG9w0BAQEFAASC', pem.replaceAll('\n', '\r\n')])
      assert.ok(isFound(pem, text), text);
    for (const text of ['-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----', 'Ag=='])
      assert.ok(!isFound(pem, text), text);
  });

  it('knows which beginning of a value is no secret, in every form', () => {
    const heads = patternsOf(url).map(({ text, head }) => text.slice(0, head));
    assert.ok(heads.includes('postgres://') && heads.includes('postgres%3A%2F%2F'), heads.join(' '));
    const [whole] = patternsOf('-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----');
    assert.equal(whole?.text.slice(0, whole.head), '-----BEGIN PRIVATE KEY-----');
    assert.ok(patternsOf('sk_live_0123456789').every(({ head }) => head === 0));
  });

  it('leaves out what is too short to be a secret', () => {
    for (const value of ['', 'abc', ' a\nb ', '\n\n']) assert.deepEqual(patternsOf(value), []);
    assert.ok(isFound('abcd', 'abcd'));
  });

  it('keeps to the value and its lines where there is no room for more', () => {
    const texts = patternsOf('first+line\nsecond+line\nlast', 'plain').map(({ text }) => text);
    assert.deepEqual(texts, ['first+linesecond+linelast', 'first+line', 'second+line']);
  });

  it('makes something of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('\ud800', '\n', 'a', '%', '😀', '"', "'") }), (value) => {
        for (const { text, head } of patternsOf(value)) assert.ok(text.length >= 4 && head < text.length);
      }),
    );
  });
});
