import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Automaton } from '../../../specs/mask/automaton.ts';
import type { Pattern } from '../../../specs/mask/forms.ts';

const plain = (...texts: string[]): Automaton => new Automaton(texts.map((text) => ({ text, head: 0 })));

/** What is found in these texts, read one after the other, as `index of the text, from, to`. */
function found(automaton: Automaton, ...texts: string[]): number[][] {
  const all: number[][] = [];
  let state = 0;
  texts.forEach((text, index) => {
    state = automaton.read(text, state, (from, to) => all.push([index, from, to]));
  });
  return all;
}

/** Few characters, so that patterns overlap in every way. */
const few = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '日'), minLength: min, maxLength: max });

describe('Automaton', () => {
  it('finds every pattern, the longest of those that end at one place', () => {
    assert.deepEqual(found(plain('secret', 'cret', 'retro'), 'secretro'), [
      [0, 0, 6],
      [0, 3, 8],
    ]);
  });

  it('goes on in the next text where it was left', () => {
    assert.deepEqual(found(plain('secret'), 'a sec', 'r', 'et', 'secret'), [
      [2, -4, 2],
      [3, 0, 6],
    ]);
  });

  it('tells how much of a pattern was begun, and with what characters', () => {
    const automaton = plain('secretary', 'cretin');
    const state = automaton.read('no secret', 0, () => undefined);
    assert.deepEqual([automaton.beginning(state), automaton.textOf(state)], [6, 'secret']);
    const shorter = automaton.read('i', state, () => undefined);
    assert.deepEqual([automaton.beginning(shorter), automaton.textOf(shorter)], [5, 'creti']);
    assert.equal(automaton.beginning(automaton.read('sec', 0, () => undefined)), 0);
  });

  it('counts nothing as begun while only what is no secret was read', () => {
    const automaton = new Automaton([{ text: 'pg://app:pw', head: 5 }]);
    const begun = (text: string) => automaton.beginning(automaton.read(text, 0, () => undefined));
    assert.deepEqual([begun('pg://'), begun('pg://app'), begun('pg://app:')], [0, 0, 9]);
  });

  it('takes what stands before an ellipsis for the beginning of a pattern', () => {
    assert.deepEqual(found(plain('secret'), 'a secr… (cut) and sec…'), [[0, 2, 6]]);
  });

  it('finds what a search of each pattern finds', () => {
    fc.assert(
      fc.property(
        fc.array(few(4, 8), { maxLength: 6 }),
        fc.array(few(0, 30), { maxLength: 6 }),
        (texts, parts) => {
          const patterns: Pattern[] = texts.map((text) => ({ text, head: 0 }));
          const whole = parts.join('');
          const ends = new Map<number, number>();
          for (const { text } of patterns) {
            for (let at = whole.indexOf(text); at !== -1; at = whole.indexOf(text, at + 1))
              ends.set(at + text.length, Math.max(text.length, ends.get(at + text.length) ?? 0));
          }
          const offsets = parts.map((_, index) => parts.slice(0, index).join('').length);
          const seen = found(new Automaton(patterns), ...parts).map(([index = 0, from = 0, to = 0]) => [
            (offsets[index] ?? 0) + to,
            to - from,
          ]);
          assert.deepEqual(
            seen,
            [...ends].sort(([a], [b]) => a - b),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});
