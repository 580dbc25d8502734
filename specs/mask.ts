/**
 * Hides values that are known to be secret from whatever is shown or kept: outputs, messages, errors. What is found is
 * replaced by `***`: the value as it is, split over lines, coloured in the middle, line by line, or encoded as programs do it
 * (mask/forms.ts). Values of fewer than 4 characters are not hidden. Pure.
 *
 * The beginning of a value at the end of a line is not hidden as such where lines can wait (mask/held.ts): whoever can make
 * a workload end lines with texts of their choice would learn from it how a value begins. What a build prints is hidden at
 * once: who chooses that chooses what the build does.
 */
import { Automaton } from './mask/automaton.ts';
import { patternsOf } from './mask/forms.ts';
import { HeldLines } from './mask/held.ts';
import { addRange, hidden, hideRanges, type Range } from './mask/ranges.ts';
import { goOnWith, type Reading } from './mask/reading.ts';
import { placesOf, visibleOf } from './mask/visible.ts';

export interface Masks {
  /** Of a text that is whole, but for what a `…` stands for. */
  text(projectId: string, text: string): string;
  /** Of outputs that come line by line, from the beginning, and are shown at once: those of builds. */
  lines(projectId: string): LineMask;
  /** Of outputs that come line by line, where lines can wait for what comes after them. */
  held<T>(projectId: string): HeldLines<T>;
}

/**
 * Takes the next line of a source (one stream of one process) and answers at once how it may be shown. Of a value that is
 * split over lines no more than its first 3 characters remain, where the first line ends with no more of it. Lines of
 * other sources may come in between.
 */
export type LineMask = (source: string, line: string) => string;

/**
 * How many lines before a place are read again by whoever goes on from there: of a value that is split over the place, the
 * first line that is shown may be the end.
 */
export const leadLines = 1_000;

/**
 * @param secretsOf the values that are secret in a project, now; the same array as long as they are the same, so that
 * nothing is prepared twice
 */
export function createMasks(secretsOf: (projectId: string) => readonly string[]): Masks {
  return {
    text: (projectId, text) =>
      maskPart({ automaton: automatonOf(secretsOf(projectId)), state: 0 }, text, 'whole'),
    lines(projectId) {
      const sources = new Map<string, Reading>();
      return (source, line) => {
        const automaton = automatonOf(secretsOf(projectId));
        let reading = sources.get(source);
        if (!reading) sources.set(source, (reading = { automaton, state: 0 }));
        goOnWith(automaton, reading);
        return maskPart(reading, line, 'open');
      };
    },
    held: (projectId) => new HeldLines(() => automatonOf(secretsOf(projectId))),
  };
}

/**
 * Characters of all the values of a project, up to which they are looked for in all forms, and at all: a search takes about
 * 30 bytes for each character of a pattern. Where there are more, everything is hidden.
 */
const room = { allForms: 64 * 1024, plain: 1024 * 1024 };

/** Several parts of a node ask for the same values. */
const automata = new WeakMap<readonly string[], { automaton: Automaton | undefined }>();

function automatonOf(values: readonly string[]): Automaton | undefined {
  const known = automata.get(values);
  if (known) return known.automaton;
  const size = values.reduce((sum, value) => sum + value.length, 0);
  const forms = size <= room.allForms ? 'all' : 'plain';
  const automaton =
    size <= room.plain ? new Automaton(values.flatMap((value) => patternsOf(value, forms))) : undefined;
  automata.set(values, { automaton });
  return automaton;
}

/** @param end `open`: what comes next may go on with a value whose beginning this part ends with */
function maskPart(reading: Reading, part: string, end: 'open' | 'whole'): string {
  const { automaton, state } = reading;
  if (!automaton) return hidden(part);
  if (automaton.isEmpty) return part;
  const text = visibleOf(part);
  if (text === '') return part;
  const ranges: Range[] = [];
  const cut = end === 'open' ? 'half' : 'begun';
  reading.state = automaton.read(text, state, (from, to) => addRange(ranges, from, to), cut);
  const begun = end === 'open' ? automaton.beginning(reading.state) : 0;
  if (begun > 0) addRange(ranges, text.length - begun, text.length);
  return ranges.length === 0 ? part : hideRanges(part, ranges, text === part ? undefined : placesOf(part));
}
