/**
 * Lines of several sources that wait until it is known what of them to hide, and leave in the order in which they came. A line
 * that ends with the beginning of a value is shown as it is, unless the value goes on: else its reader could guess a value
 * from the front, character by character. Pure; how long they wait is up to who holds them.
 */
import type { Automaton } from './automaton.ts';
import { addRange, hidden, hideRanges, type Range } from './ranges.ts';
import { goOnWith, type Reading } from './reading.ts';
import { placesOf, visibleOf } from './visible.ts';

export interface HeldLine<T> {
  /** As it may be shown. */
  line: string;
  item: T;
}

interface Waiting<T> {
  line: string;
  /** What is seen of it, and where that is in all that is seen of its source. */
  text: string;
  from: number;
  to: number;
  source: Source<T>;
  /** Of `text`. */
  ranges: Range[];
  isHidden: boolean;
  isDecided: boolean;
  item: T;
}

interface Source<T> extends Reading {
  /** Characters read. */
  length: number;
  /** Oldest first: what comes next may decide about them. */
  undecided: Waiting<T>[];
}

/** Lines that wait for one another at most: as many as are read again before a place. */
const mostLines = 1_000;

export class HeldLines<T> {
  private readonly automaton: () => Automaton | undefined;
  private readonly sources = new Map<string, Source<T>>();
  private waiting: Waiting<T>[] = [];
  private characters = 0;

  /** @param automaton finds what is secret now; undefined where that is too much */
  constructor(automaton: () => Automaton | undefined) {
    this.automaton = automaton;
  }

  /** Characters that wait, and something for each line. */
  get size(): number {
    return this.characters;
  }

  /** Whether there may be anything to hide. */
  get hides(): boolean {
    return this.automaton()?.isEmpty !== true;
  }

  push(name: string, line: string, item: T): void {
    const source = this.source(name);
    const { automaton, length: from } = source;
    const text = automaton && !automaton.isEmpty ? visibleOf(line) : '';
    source.length += text.length;
    const added = { line, text, from, to: source.length, source, ranges: [], item };
    const waiting: Waiting<T> = { ...added, isHidden: automaton === undefined, isDecided: false };
    this.waiting.push(waiting);
    this.characters += costOf(waiting);
    source.undecided.push(waiting);
    source.state =
      automaton?.read(text, source.state, (start, end) => hideIn(source, from + start, from + end), 'half') ??
      0;
    decide(source);
  }

  /** Lines about which all is known, and before which none waits. */
  ready(): HeldLine<T>[] {
    const ready: HeldLine<T>[] = [];
    for (;;) {
      let count = 0;
      while (this.waiting[count]?.isDecided === true) count++;
      if (count === 0 && this.waiting.length <= mostLines) return ready;
      ready.push(...this.take(Math.max(count, 1)));
    }
  }

  /**
   * The first lines, as many as are asked for, whatever comes after them. What may be the beginning of a value is shown, up
   * to its half.
   */
  take(count = this.waiting.length): HeldLine<T>[] {
    const taken = this.waiting.slice(0, count);
    this.waiting = this.waiting.slice(count);
    return taken.map((waiting) => {
      this.characters -= costOf(waiting);
      if (!waiting.isDecided) letGo(waiting.source);
      return { line: shownOf(waiting), item: waiting.item };
    });
  }

  private source(name: string): Source<T> {
    const automaton = this.automaton();
    let source = this.sources.get(name);
    if (!source) this.sources.set(name, (source = { automaton, state: 0, length: 0, undecided: [] }));
    goOnWith(automaton, source);
    return source;
  }
}

/** A line takes room however short it is. */
function costOf<T>({ line }: Waiting<T>): number {
  return line.length + 128;
}

function decide<T>({ automaton, state, length, undecided }: Source<T>): void {
  const open = length - (automaton?.beginning(state) ?? 0);
  let count = 0;
  for (const waiting of undecided) {
    if (waiting.to > open) break;
    waiting.isDecided = true;
    count++;
  }
  undecided.splice(0, count);
}

/** The oldest undecided line of a source goes before anything is known. */
function letGo<T>(source: Source<T>): void {
  const half = source.automaton?.half(source.state) ?? 0;
  if (half > 0) hideIn(source, source.length - half, source.length);
  source.undecided.shift();
}

function hideIn<T>({ undecided }: Source<T>, start: number, end: number): void {
  for (const { from, to, ranges } of undecided)
    if (start < to && end > from) addRange(ranges, start - from, Math.min(end, to) - from);
}

function shownOf<T>({ line, text, ranges, isHidden }: Waiting<T>): string {
  if (isHidden) return hidden(line);
  return ranges.length === 0 ? line : hideRanges(line, ranges, text === line ? undefined : placesOf(line));
}
