import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { json, yaml } from '../../../cli/output/document.ts';
import { cleanLine, cleanText } from '../../../cli/output/text.ts';
import { table } from '../../../cli/output/table.ts';

/** What must not reach a terminal. */
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

describe('text from elsewhere', () => {
  const rows: [string, string, string][] = [
    ['colours', '\u001b[31mred\u001b[0m', 'red'],
    ['colours in their 8-bit form', '\u009b31mred\u009b0m', 'red'],
    ['moves of the cursor', 'a\u001b[2J\u001b[1;1Hb\rc', 'abc'],
    ['a window title', '\u001b]0;you\u0007are\u001b]0;owned\u001b\\!', 'are!'],
    ['a link', '\u001b]8;;http://evil\u001b\\here\u001b]8;;\u001b\\', 'here'],
    ['a device query', 'a\u001bcb\u001b(0c', 'abc'],
    ['bells, backspaces and nulls', 'a\u0007\b\u0000b\u007f', 'ab'],
    ['an escape that is cut off', 'a\u001b[3', 'a3'],
    ['words of any language, tabs and line ends', 'é漢😀\tx\ny', 'é漢😀\tx\ny'],
  ];
  for (const [name, text, clean] of rows) it(name, () => assert.equal(cleanText(text), clean));

  it('never keeps a control character, whatever it is made of', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !control.test(cleanText(text))));
    const nasty = fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '\u009b',
      '\u009d',
      '3',
      'm',
      '\u0007',
      '\\',
      '\u001b\\',
      'x',
      '\n',
      '\t',
      '\r',
    );
    fc.assert(fc.property(fc.array(nasty), (parts) => !control.test(cleanText(parts.join('')))));
  });

  it('fits on one line', () => {
    assert.equal(cleanLine('a \r\n  b\tc\nd'), 'a b c d');
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !/[\n\r\t]/.test(cleanLine(text))));
  });
});

describe('documents', () => {
  const value = { name: 'a\u001b[31mb\u009b0mc\u0085', list: ['x'], none: null, count: 3 };

  it('hold in JSON exactly what there is, and no byte that a terminal obeys', () => {
    assert.deepEqual(JSON.parse(json(value)), value);
    assert.doesNotMatch(json(value), control);
  });

  it('hold in YAML the clean text', async () => {
    assert.equal(await yaml(value), 'name: abc\nlist:\n  - x\nnone: null\ncount: 3\n');
  });
});

describe('a table', () => {
  const columns = [
    { header: 'NAME', cell: ({ name }: { name: string; size: string }) => name },
    { header: 'SIZE', cell: ({ size }: { name: string; size: string }) => size },
  ];

  it('aligns its columns, marks what is empty, and ends no line in blanks', () => {
    assert.deepEqual(
      table(columns, [
        { name: 'a', size: '' },
        { name: 'longer', size: '1' },
      ]),
      ['NAME     SIZE', 'a        -', 'longer   1'],
    );
  });

  it('cannot be broken by what is in it', () => {
    assert.deepEqual(table(columns, [{ name: 'a\nfake   1', size: '\u001b[2K\u0007' }]), [
      'NAME         SIZE',
      'a fake   1   -',
    ]);
  });
});
