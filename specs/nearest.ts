/** Which known word somebody may have meant by an unknown one. */

/** The known word that is the fewest edits away, if that is near enough to be a slip of the fingers. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  // Two edits make any word of three letters another.
  let fewest = (word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3))) + 1;
  for (const candidate of known) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best;
}

/** Edits (insert, delete, replace) from one word to the other: Levenshtein's distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, char] of Array.from(a).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(b).entries()) {
      next.push(
        Math.min((row[j] ?? 0) + (char === other ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1),
      );
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
