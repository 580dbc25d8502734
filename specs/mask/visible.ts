/** What of a text is seen: a value with a line break or a change of colour in the middle is the value to whoever reads it. Pure. */

/**
 * Line breaks, and control functions of terminals (ECMA-48, 5th edition, sections 5.3 to 5.6): sequences like colours, strings
 * like titles, and single functions.
 */
const unseen =
  /[\r\n]|\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-~])/g;

/** The text without what is not seen: the text itself, mostly. */
export function visibleOf(text: string): string {
  const isPlain = !text.includes('\u001b') && !text.includes('\r') && !text.includes('\n');
  return isPlain ? text : text.replaceAll(unseen, '');
}

/** Where in the text each character of {@link visibleOf} is. */
export function placesOf(text: string): number[] {
  const places: number[] = [];
  let from = 0;
  const seenUpTo = (to: number): void => {
    for (let i = from; i < to; i++) places.push(i);
  };
  for (const match of text.matchAll(unseen)) {
    seenUpTo(match.index);
    from = match.index + match[0].length;
  }
  seenUpTo(text.length);
  return places;
}
