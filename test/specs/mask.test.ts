import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createMasks, type Masks } from '../../specs/mask.ts';
import { patternsOf } from '../../specs/mask/forms.ts';

const masksOf = (...values: string[]): Masks => createMasks(() => values);

/** Lines of one source as they are shown. */
function shown(masks: Masks, lines: readonly string[]): string[] {
  const mask = masks.lines('prj');
  return lines.map((line) => mask('stdout', line));
}

const pem = [
  '-----BEGIN PRIVATE KEY-----',
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
  'BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj',
  'Ag==',
  '-----END PRIVATE KEY-----',
];

describe('a mask of texts', () => {
  const masks = masksOf('hunter2!', 'correct horse', 'horse battery');
  for (const [what, text, expected] of [
    ['every value', 'hunter2! or correct horse', '*** or ***'],
    ['values that overlap as one', 'a correct horse battery b', 'a *** b'],
    ['values side by side as one', 'hunter2!hunter2!', '***'],
    [
      'nothing of a text that only begins or ends like one',
      'hunter or correct horseshoe',
      'hunter or ***shoe',
    ],
    ['a value over lines, and keeps the lines', 'x hunt\n\r\ner2! y', 'x ***\n\r\n*** y'],
    [
      'a value with a change of colour in it',
      'x \u001b[1mhun\u001b[0;31mter2!\u001b[0m',
      'x \u001b[1m***\u001b[0m',
    ],
    ['a value under other controls', 'h\u001b]0;title\u0007un\u001b(Bter2!', '***'],
    ['the beginning of a value where the text was cut', 'hunter… (cut)', '***… (cut)'],
  ] as const)
    it(`hides ${what}`, () => assert.equal(masks.text('prj', text), expected));

  it('hides only what is secret in that project', () => {
    const of: Record<string, string[]> = { one: ['value of one'], two: ['value of two'] };
    const both = createMasks((project) => of[project] ?? []);
    assert.deepEqual(
      ['one', 'two', 'three'].map((project) => both.text(project, 'value of one')),
      ['***', 'value of one', 'value of one'],
    );
  });

  it('hides many values, though not in every form, and everything where they are too many', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => `${index}+${'x'.repeat(60_000)}`);
    const some = masksOf('correct+horse', ...many(5));
    assert.equal(some.text('prj', 'correct+horse or correct%2Bhorse'), '*** or correct%2Bhorse');
    assert.equal(some.text('prj', `a ${many(5)[4]} b`), 'a *** b');
    const lots = masksOf('correct+horse', ...many(20));
    assert.equal(lots.text('prj', 'any text\n\nat all'), '***\n\n***');
    assert.deepEqual(shown(lots, ['one', '', 'two']), ['***', '', '***']);
  });

  it('knows a new value as soon as there is one', () => {
    let values: readonly string[] = [];
    const changing = createMasks(() => values);
    assert.equal(changing.text('prj', 'hunter2!'), 'hunter2!');
    values = ['hunter2!'];
    assert.equal(changing.text('prj', 'hunter2!'), '***');
  });
});

describe('a mask of lines', () => {
  it('hides a value that is folded, all but its first three characters', () => {
    const folded = (width: number) =>
      shown(
        masksOf('correct-horse-battery'),
        'correct-horse-battery!'.match(RegExp(`.{1,${width}}`, 'g')) ?? [],
      );
    assert.deepEqual(folded(8), ['***', '***', '***!']);
    assert.deepEqual(folded(3), ['cor', ...Array<string>(6).fill('***'), '!']);
    assert.deepEqual(folded(1), ['c', 'o', 'r', ...Array<string>(18).fill('***'), '!']);
  });

  it('hides a key of several lines, whatever stands before them', () => {
    const masks = masksOf(`${pem.join('\n')}\n`);
    const [begin = '', ...rest] = pem;
    assert.deepEqual(shown(masks, [begin, ...rest]), [begin, '***', '***', '***', '***']);
    assert.deepEqual(shown(masks, ['  key: |', ...pem.map((line) => `    ${line}`)]).slice(2, 4), [
      '    ***',
      '    ***',
    ]);
  });

  it('lets a line end with what many values begin with', () => {
    const masks = masksOf('postgres://app:pw@db/shop');
    assert.deepEqual(shown(masks, ['runs postgres', 'postgres://', 'postgres://app:']), [
      'runs postgres',
      'postgres://',
      '***',
    ]);
  });

  it('goes on over empty lines, carriage returns and colours, and lets a value begin anew inside itself', () => {
    const lines = ['x abca', '', '\u001b[1mbc\r', 'abca', 'bd y'];
    const expected = ['x ***', '', '\u001b[1m***\r', '***', '*** y'];
    assert.deepEqual(shown(masksOf('abcabcabd'), lines), expected);
  });

  it('tells sources apart, and gives every line at once', () => {
    const mask = masksOf('correct-horse').lines('prj');
    const lines = [
      ['a', 'correct', '***'],
      ['b', 'correct', '***'],
      ['c', '-horse', '-horse'],
      ['a', '-horse', '***'],
      ['b', 'nothing of it', 'nothing of it'],
      ['b', '-horse', '-horse'],
    ] as const;
    for (const [source, line, expected] of lines) assert.equal(mask(source, line), expected);
  });

  it('goes on with what was begun when another value becomes known in between', () => {
    let values = ['correct-horse'];
    const mask = createMasks(() => values).lines('prj');
    assert.equal(mask('a', 'correct'), '***');
    values = ['battery-staple', 'correct-horse'];
    assert.equal(mask('a', '-horse'), '***');
    assert.equal(mask('a', 'battery-staple'), '***');
  });

  it('hides nothing any more once a value is forgotten', () => {
    let values = ['correct-horse'];
    const mask = createMasks(() => values).lines('prj');
    assert.equal(mask('a', 'correct'), '***');
    values = [];
    assert.equal(mask('a', '-horse correct-horse'), '-horse correct-horse');
  });
});

/** Printed output: values whole and in pieces among other text, cut into lines anywhere. */
const output = (values: readonly string[], unit: fc.Arbitrary<string>) =>
  fc
    .array(fc.oneof(fc.constantFrom(...values), fc.string({ unit, maxLength: 6 }), pieceOf(values)), {
      maxLength: 12,
    })
    .chain((parts) =>
      fc
        .array(fc.nat({ max: parts.join('').length }), { maxLength: 12 })
        .map((cuts) => split(parts.join(''), cuts)),
    );

const pieceOf = (values: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...values), fc.nat({ max: 12 }), fc.nat({ max: 12 }))
    .map(([value, from, length]) => value.slice(from, from + length));

function split(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...[...cuts].sort((a, b) => a - b), text.length];
  return places.slice(1).map((to, index) => text.slice(places[index], to));
}

/**
 * What should be shown, found the slow way: of each line what belongs to a pattern that has ended by then, or to the longest
 * beginning of a pattern that the line ends with.
 */
function expected(values: readonly string[], lines: readonly string[]): string[] {
  const patterns = values.flatMap((value) => patternsOf(value)).map(({ text }) => text);
  const hidden = new Set<number>();
  let text = '';
  return lines.map((line) => {
    const start = text.length;
    text += line;
    for (const pattern of patterns) {
      for (let at = text.indexOf(pattern); at !== -1; at = text.indexOf(pattern, at + 1))
        for (let i = at; i < at + pattern.length; i++) hidden.add(i);
      const begun =
        Array.from(pattern).findLastIndex((_, i) => i >= 3 && text.endsWith(pattern.slice(0, i + 1))) + 1;
      for (let i = text.length - begun; i < text.length; i++) hidden.add(i);
    }
    const seen = Array.from(line)
      .map((char, i) => (hidden.has(start + i) ? '\0' : char))
      .join('');
    return seen.replaceAll(/\0+/g, '***');
  });
}

describe('masks, whatever the values and the output', () => {
  const values = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 9 }), {
    minLength: 1,
    maxLength: 4,
  });
  const cases = values.chain((known) =>
    fc.tuple(fc.constant(known), output(known, fc.constantFrom('a', 'b', 'c', ' '))),
  );

  it('hide in lines what a slow search finds', () => {
    fc.assert(
      fc.property(cases, ([known, lines]) => {
        assert.deepEqual(shown(masksOf(...known), lines), expected(known, lines));
      }),
      { numRuns: 1_000 },
    );
  });

  it('leave no value in any output, read line by line or as one', () => {
    fc.assert(
      fc.property(cases, ([known, lines]) => {
        const texts = [
          shown(masksOf(...known), lines).join(''),
          masksOf(...known).text('prj', lines.join('\n')),
        ];
        for (const value of known)
          for (const text of texts) assert.ok(!text.replaceAll('\n', '').includes(value), text);
      }),
      { numRuns: 1_000 },
    );
  });

  it('show no more than three characters of a value that stands alone', () => {
    const secret = fc.string({
      unit: fc.constantFrom(...Array.from('ABCDEFGHIJKLMNOP')),
      minLength: 4,
      maxLength: 40,
    });
    fc.assert(
      fc.property(secret, fc.array(fc.nat({ max: 40 })), (value, cuts) => {
        const lines = split(
          `x ${value} y`,
          cuts.map((cut) => Math.min(cut, value.length + 4)),
        );
        const rest = shown(masksOf(value), lines)
          .join('')
          .replaceAll(/[^A-P]/g, '');
        assert.ok(rest.length <= 3 && value.startsWith(rest), rest);
      }),
    );
  });

  it('change nothing where there is no value and no beginning of one, and mix no sources up', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom(' ', 'x', '\u001b', '[', 'm', '\r', '…', 'é'),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((char) => !/[a-c]/.test(char)),
      ),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('1', '2'), text)), (lines) => {
        const masks = masksOf('abcabc', 'cabbac');
        const mask = masks.lines('prj');
        for (const [source, line] of lines) {
          assert.equal(mask(source, line), line);
          assert.equal(masks.text('prj', line), line);
        }
      }),
    );
  });
});
