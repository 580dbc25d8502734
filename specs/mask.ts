/**
 * Hides values that are known to be secret from whatever is shown or kept: outputs, messages, errors. What is found is
 * replaced by `***`: the value as it is, split over lines, coloured in the middle, line by line, or encoded as programs do it
 * (mask/forms.ts). Values of fewer than 4 characters are not hidden. Pure.
 *
 * What it cannot do: whoever can make a workload end a line with a text of their choice, and read its log, sees whether
 * that is how a value begins, because the beginning of one that may go on in the next line is hidden at once.
 */
import { Automaton } from './mask/automaton.ts';
import { patternsOf } from './mask/forms.ts';
import { placesOf, visibleOf } from './mask/visible.ts';

export interface Masks {
  /** Of a text that is whole, but for what a `…` stands for. */
  text(projectId: string, text: string): string;
  /** Of outputs that come line by line, from the beginning. */
  lines(projectId: string): LineMask;
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
        else if (reading.automaton !== automaton) changeTo(automaton, reading);
        return maskPart(reading, line, 'open');
      };
    },
  };
}

/** Where the search in a source stands. */
interface Reading {
  /** undefined: everything is hidden. */
  automaton: Automaton | undefined;
  state: number;
}

/**
 * Characters of all the values of a project, up to which they are looked for in all forms, and at all: a search takes about
 * 26 bytes for each character of a pattern. Where there are more, everything is hidden.
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

/** The values have changed between two lines: what was begun goes on among the new ones. */
function changeTo(automaton: Automaton | undefined, reading: Reading): void {
  const begun = reading.automaton?.textOf(reading.state) ?? '';
  reading.state = automaton?.read(begun, 0, () => undefined) ?? 0;
  reading.automaton = automaton;
}

/** @param end `open`: what comes next may go on with a value whose beginning this part ends with */
function maskPart(reading: Reading, part: string, end: 'open' | 'whole'): string {
  const { automaton, state } = reading;
  if (!automaton) return hidden(part);
  if (automaton.isEmpty) return part;
  const text = visibleOf(part);
  if (text === '') return part;
  const ranges: Range[] = [];
  reading.state = automaton.read(text, state, (from, to) => add(ranges, from, to));
  const begun = end === 'open' ? automaton.beginning(reading.state) : 0;
  if (begun > 0) add(ranges, text.length - begun, text.length);
  return ranges.length === 0 ? part : hide(part, ranges, text === part ? undefined : placesOf(part));
}

interface Range {
  from: number;
  to: number;
}

/** Ranges come in the order of their ends; those that touch become one. */
function add(ranges: Range[], from: number, to: number): void {
  // What began in an earlier line.
  let first = Math.max(from, 0);
  for (let last = ranges.at(-1); last !== undefined && last.to >= first; last = ranges.at(-1)) {
    first = Math.min(first, last.from);
    ranges.pop();
  }
  ranges.push({ from: first, to });
}

function hide(part: string, ranges: readonly Range[], places: readonly number[] | undefined): string {
  const placeOf = (index: number): number => places?.[index] ?? index;
  let shown = '';
  let end = 0;
  for (const { from, to } of ranges) {
    const first = placeOf(from);
    shown += part.slice(end, first);
    end = placeOf(to - 1) + 1;
    shown += hidden(part.slice(first, end));
  }
  return shown + part.slice(end);
}

/** A text of several lines keeps them. */
function hidden(text: string): string {
  return text.replaceAll(/[^\r\n]+/g, '***');
}
