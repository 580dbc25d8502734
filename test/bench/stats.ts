/** What is said of a series of measurements, and tables of it. Pure. */

export interface Summary {
  median: number;
  min: number;
  max: number;
}

/** Throws on an empty series: there is nothing to say of it. */
export function summarise(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b);
  const [min, max] = [sorted[0], sorted.at(-1)];
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (min === undefined || max === undefined || lower === undefined || upper === undefined)
    throw new RangeError('a series without a measurement');
  return { median: (lower + upper) / 2, min, max };
}

/**
 * The value that this share of a series does not exceed.
 * @param share 0 to 1
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  if (value === undefined) throw new RangeError('a series without a measurement');
  return value;
}

/**
 * How much of two distributions lies together: 1 less the greatest distance between them (Kolmogorov and Smirnov). Whoever
 * guesses by a limit which of the two a value is of is right in at most 1 − overlap / 2 of all cases; at 1 that is a coin.
 */
export function overlap(a: readonly number[], b: readonly number[]): number {
  const below = (values: readonly number[], limit: number) =>
    values.filter((value) => value <= limit).length / values.length;
  return 1 - Math.max(...[...a, ...b].map((limit) => Math.abs(below(a, limit) - below(b, limit))));
}

/** Rows of cells as text: the first column to the left, numbers to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}
