import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createMasks } from '../../../specs/mask.ts';
import type { HeldLine, HeldLines } from '../../../specs/mask/held.ts';

const heldOf = (...values: string[]): HeldLines<undefined> => createMasks(() => values).held('prj');
const textsOf = (lines: readonly HeldLine<unknown>[]): string[] => lines.map(({ line }) => line);

/** Pushes a line of one source. @returns what may be shown then */
function next(held: HeldLines<undefined>, line: string, source = 'a'): string[] {
  held.push(source, line, undefined);
  return textsOf(held.ready());
}

describe('lines that wait', () => {
  it('hide a value in all of them once it is whole, and nothing where it did not go on', () => {
    const held = heldOf('correct-horse-battery');
    assert.deepEqual(next(held, 'a correct-'), []);
    assert.deepEqual(next(held, 'horse-'), []);
    assert.deepEqual(next(held, 'battery b'), ['a ***', '***', '*** b']);
    assert.deepEqual(next(held, 'a correct-horse-batter'), []);
    assert.deepEqual(next(held, 'ies'), ['a correct-horse-batter', 'ies']);
  });

  it('leave in the order in which they came, over all sources', () => {
    const held = heldOf('correct-horse-battery');
    assert.deepEqual(next(held, 'one correct', 'a'), []);
    assert.deepEqual(next(held, 'two', 'b'), []);
    assert.deepEqual(next(held, '', 'a'), []);
    assert.deepEqual(next(held, 'three', 'a'), ['one correct', 'two', '', 'three']);
  });

  it('that are let go show the beginning of a value up to its half, and hide what follows', () => {
    const held = heldOf('correct-horse-battery');
    next(held, 'a correct-h');
    assert.deepEqual(textsOf(held.take()), ['a correct-h']);
    next(held, 'or');
    assert.deepEqual(textsOf(held.take()), ['***']);
    next(held, 'se-');
    assert.deepEqual(textsOf(held.take()), ['***']);
    assert.deepEqual(next(held, 'battery b'), ['*** b']);
    next(held, 'a correct-hor');
    assert.deepEqual(textsOf(held.take()), ['a ***']);
    assert.equal(held.size, 0);
  });

  it('hide no beginning of a value before an ellipsis that they print, up to its half', () => {
    assert.deepEqual(next(heldOf('correct-horse-battery'), 'corr… correct… correct-hor…'), [
      'corr… correct… ***…',
    ]);
  });

  it('keep their colours, and hide everything where there is too much to look for', () => {
    const held = heldOf('correct-horse');
    next(held, 'a \u001b[1mcor\u001b[0mrect');
    assert.deepEqual(next(held, '\u001b[1m-horse!\r'), ['a \u001b[1m***', '\u001b[1m***!\r']);
    assert.deepEqual(next(heldOf('x'.repeat(2 ** 21)), 'anything'), ['***']);
  });

  it('are no more than a thousand', () => {
    const held = heldOf('correct-horse-battery');
    held.push('a', 'a correct', undefined);
    let shown: string[] = [];
    for (let n = 0; shown.length === 0; n++) shown = next(held, `${n}`, 'b');
    assert.deepEqual([shown[0], shown.length], ['a correct', 1_001]);
  });
});

describe('whoever may choose what is printed and see what is shown', () => {
  const unit = fc.constantFrom('a', 'b', 'c', 'd');
  const value = fc.string({ unit, minLength: 12, maxLength: 24 });
  /** A line ends with a guess; time may pass after it, so that it is let go. */
  const guesses = (secret: string) =>
    fc.array(
      fc.record({
        before: fc.string({ unit: fc.constantFrom('x', ' '), minLength: 1, maxLength: 3 }),
        guess: fc.oneof(
          fc.nat({ max: Math.ceil(secret.length / 2) - 1 }).map((length) => secret.slice(0, length)),
          fc.string({ unit, maxLength: 5 }),
        ),
        mark: fc.constantFrom('', '…'),
        isLate: fc.boolean(),
      }),
      { maxLength: 12 },
    );

  it('learns nothing about a value from less than half of it', () => {
    const cases = value.chain((secret) => fc.tuple(fc.constant(secret), guesses(secret)));
    fc.assert(
      fc.property(cases, ([secret, printed]) => {
        const shownWith = (known: string): string[] => {
          const held = heldOf(known);
          const shown: string[] = [];
          for (const { before, guess, mark, isLate } of printed) {
            held.push('a', before + guess + mark, undefined);
            shown.push(...textsOf(isLate ? held.take() : held.ready()));
          }
          return [...shown, ...textsOf(held.take())];
        };
        assert.deepEqual(shownWith(secret), shownWith('an unrelated value'));
      }),
      { numRuns: 1_000 },
    );
  });

  it('learns nothing from a longer beginning either, where the next line is there in time', () => {
    const cases = value.chain((secret) =>
      fc.tuple(fc.constant(secret), fc.array(fc.nat({ max: secret.length - 1 }), { maxLength: 12 })),
    );
    fc.assert(
      fc.property(cases, ([secret, lengths]) => {
        const held = heldOf(secret);
        const lines = [...lengths.map((length) => `x${secret.slice(0, length)}`), 'end'];
        for (const line of lines) held.push('a', line, undefined);
        assert.deepEqual(textsOf(held.ready()), lines);
      }),
      { numRuns: 1_000 },
    );
  });
});
