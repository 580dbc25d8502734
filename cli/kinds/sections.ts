/** Pieces of a description that several kinds share. */
import type { Condition } from '../../specs/conditions.ts';
import { age } from '../output/age.ts';
import { alignRows, table } from '../output/table.ts';
import { cleanText } from '../output/text.ts';
import type { Section } from './kind.ts';

/** `key:  value` lines with the values aligned; further lines of a value are indented below the first. */
export function facts(values: Readonly<Record<string, string>>): Section {
  const rows = Object.entries(values).flatMap(([key, value]) =>
    cleanText(value)
      .split('\n')
      .map((line, index) => [index === 0 ? `${key}:` : '', line]),
  );
  return { lines: alignRows(rows, '  ') };
}

export function conditionsSection(conditions: readonly Condition[], now: number): Section {
  return {
    title: 'Conditions',
    lines:
      conditions.length === 0
        ? ['none yet']
        : table(
            [
              { header: 'TYPE', cell: ({ type }) => type },
              { header: 'STATUS', cell: ({ status }) => status },
              { header: 'REASON', cell: ({ reason }) => reason },
              { header: 'SINCE', cell: ({ last_transition_at: at }) => age(at, now) },
              // The first line says it; the rest (quoted output) stands above.
              { header: 'MESSAGE', cell: ({ message }) => message.split('\n')[0] ?? '' },
            ],
            conditions,
          ),
  };
}

/** A time for people: absolute, with how long ago. */
export function moment(at: string | null, now: number): string {
  return at === null ? 'never' : `${at} (${age(at, now)} ago)`;
}
