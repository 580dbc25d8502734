/** Columns of text. Every cell is cleaned here, whatever it came from. */
import { cleanLine } from './text.ts';

export interface Column<T> {
  header: string;
  cell(item: T): string;
  /** Only with `-o wide`. */
  wide?: true;
}

/** Lines of a table with a header: columns as wide as their widest cell, three spaces apart, nothing after the last one. */
export function table<T>(columns: readonly Column<T>[], items: readonly T[]): string[] {
  return alignRows([columns.map((column) => column.header), ...rowsOf(columns, items)]);
}

/** The cells of each item, without a header. */
export function rowsOf<T>(columns: readonly Column<T>[], items: readonly T[]): string[][] {
  return items.map((item) => columns.map((column) => cellOf(column, item)));
}

/**
 * Rows of cells with their columns aligned.
 * @param widths grows in place; given to a later call, it lines later rows up with these
 */
export function alignRows(
  rows: readonly (readonly string[])[],
  gap = '   ',
  widths: number[] = [],
): string[] {
  for (const row of rows)
    row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, cell.length)));
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join(gap)
      .trimEnd(),
  );
}

function cellOf<T>(column: Column<T>, item: T): string {
  const text = cleanLine(column.cell(item)).trim();
  return text === '' ? '-' : text;
}
