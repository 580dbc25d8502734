/** Parts of a text, and the text without them. Pure. */

/** From one index up to another. */
export interface Range {
  from: number;
  to: number;
}

/** Ranges come in the order of their ends; those that touch become one. */
export function addRange(ranges: Range[], from: number, to: number): void {
  // What began in an earlier line.
  let first = Math.max(from, 0);
  for (let last = ranges.at(-1); last !== undefined && last.to >= first; last = ranges.at(-1)) {
    first = Math.min(first, last.from);
    ranges.pop();
  }
  ranges.push({ from: first, to });
}

/** @param places where in the part each of the characters is that ranges count; left out where that is all of them */
export function hideRanges(
  part: string,
  ranges: readonly Range[],
  places: readonly number[] | undefined,
): string {
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
export function hidden(text: string): string {
  return text.replaceAll(/[^\r\n]+/g, '***');
}
