/** Follows where the events of a text/event-stream end: at a blank line (HTML, 9.2.5). What comes after may be lost. */

/** A line's end and, at once, another. */
const blankLine = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)/g;

/** Bytes of the longest one. */
const longest = 4;

export class EventEnds {
  #tail = '';

  /** No event is half-way. */
  get atEnd(): boolean {
    // Before the first byte there is none.
    return this.#tail === '' || new RegExp(`(?:${blankLine.source})$`).test(this.#tail);
  }

  /** Takes the whole of what comes next. */
  follow(bytes: Buffer): void {
    const last = bytes.subarray(-longest).toString('latin1');
    this.#tail = (this.#tail + last).slice(-longest);
  }

  /** Takes what comes next up to the next end of an event. @returns how many bytes that were; undefined when there is none */
  toEnd(bytes: Buffer): number | undefined {
    const before = this.#tail.length;
    const text = this.#tail + bytes.toString('latin1');
    for (const match of text.matchAll(blankLine)) {
      const end = match.index + match[0].length;
      if (end > before) return end - before;
    }
    this.follow(bytes);
    return undefined;
  }
}
