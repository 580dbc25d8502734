import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import fc from 'fast-check';
import { parseDotenv } from '../../cli/dotenv.ts';

const read = (text: string) => Object.fromEntries(parseDotenv(text, '.env'));

describe('an env file', () => {
  const rows: [text: string, values: Record<string, string>][] = [
    ['', {}],
    ['\n# a comment\n  # another\n', {}],
    ['A=1\nB=x=y\n', { A: '1', B: 'x=y' }],
    ['A=1\r\nB=2\r\n', { A: '1', B: '2' }],
    ['\uFEFFA=1', { A: '1' }],
    ['export A=1\n export\tB = 2', { A: '1', B: '2' }],
    ['A=', { A: '' }],
    ['A= # nothing', { A: '' }],
    ['A=a b  # said', { A: 'a b' }],
    ['A=a#b', { A: 'a#b' }],
    ['A=#b', { A: '' }],
    ['A="a # b" # c', { A: 'a # b' }],
    ["A='a\\nb $HOME \"'", { A: 'a\\nb $HOME "' }],
    ['A="\\n\\r\\t\\"\\\\\\$"', { A: '\n\r\t"\\$' }],
    ['A="one\ntwo"\nB=2', { A: 'one\ntwo', B: '2' }],
    ["A='one\r\n#two'\nB=2", { A: 'one\n#two', B: '2' }],
    ['A=it\'s "so"', { A: 'it\'s "so"' }],
    ['A=$HOME', { A: '$HOME' }],
  ];
  for (const [text, values] of rows) {
    it(`${JSON.stringify(text)} holds ${JSON.stringify(values)}`, () => assert.deepEqual(read(text), values));
  }

  const wrong: [text: string, message: RegExp][] = [
    ['A=1\nhush', /^\.env, line 2: this is no NAME=VALUE/],
    ['hush-hush=1', /line 1: this is no NAME=VALUE/],
    ['1A=hush', /line 1/],
    ['=hush', /line 1/],
    ['A: hush', /line 1/],
    ['A=1\n\nB=2\nA=hush', /line 4: A is there twice/],
    ['\nA="hush\nhush', /line 2: the value of A begins with a quote that nothing closes/],
    ['A="hush\\"', /nothing closes/],
    ["A='hush' hush", /line 1: something stands after the closing quote of A/],
    ['A="hush\\u"', /line 1: a backslash in the value of A/],
    ['A="hush\\\nhush"', /line 1: a backslash/],
  ];
  for (const [text, message] of wrong) {
    it(`is refused, and not quoted: ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => read(text),
        (error: Error) => {
          assert.match(error.message, message);
          assert.doesNotMatch(JSON.stringify(error), /hush/);
          assert.doesNotMatch(error.message, /hush/);
          return true;
        },
      );
    });
  }

  it('gives any value back that was written in single or double quotes', () => {
    const value = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\r', ''));
    fc.assert(
      fc.property(value, value, (one, two) => {
        const plain = one.replaceAll("'", '');
        const escaped = two.replaceAll(/["\\]/g, '\\$&').replaceAll('$', '\\$');
        assert.deepEqual(read(`A='${plain}'\nB="${escaped}"\n`), { A: plain, B: two });
      }),
    );
  });

  it('holds what the reader of Node finds in it, where it is not refused', () => {
    const word = fc.stringMatching(/^[a-z0-9 #='"$.:/-]{0,8}$/);
    const line = fc.oneof(
      word,
      fc.tuple(fc.constantFrom('A', 'B', 'C_1'), word).map(([name, value]) => `${name}=${value}`),
    );
    let compared = 0;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 4 }), (lines) => {
        const text = lines.join('\n');
        let ours;
        try {
          ours = read(text);
        } catch {
          return; // Stricter: that is the point.
        }
        // Where a value has quotes inside, or a # without a space before it, readers differ among themselves.
        if (/=[^\n]*["'#$]/.test(text)) return;
        compared += 1;
        assert.deepEqual(ours, { ...parseEnv(text) });
      }),
      { numRuns: 500 },
    );
    assert.ok(compared > 50);
  });
});
