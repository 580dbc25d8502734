/** Where the search in a source of lines stands. Pure. */
import type { Automaton } from './automaton.ts';

export interface Reading {
  /** undefined: everything is hidden. */
  automaton: Automaton | undefined;
  state: number;
}

/** The values may have changed between two lines: what was begun goes on among the new ones. */
export function goOnWith(automaton: Automaton | undefined, reading: Reading): void {
  if (reading.automaton === automaton) return;
  const begun = reading.automaton?.textOf(reading.state) ?? '';
  reading.state = automaton?.read(begun, 0, () => undefined) ?? 0;
  reading.automaton = automaton;
}
