/** Follows where the frames of a WebSocket end, in one direction, looking at nothing but their heads (RFC 6455, 5.2). */

/** Bytes of a head: two, up to eight of length, four of mask. */
const longestHead = 14;

const closeOpcode = 8;

export class Frames {
  readonly #head = new Uint8Array(longestHead);
  #headSize = 0;
  /** Bytes of the frame under way that are still to come. */
  #left = 0;
  #closed = false;

  /** Nothing is half-way: a frame of our own may be put here, also between two fragments of a message (5.4). */
  get atBoundary(): boolean {
    return this.#headSize === 0 && this.#left === 0;
  }

  /** A close frame has come: nothing may be said after it (5.5.1). */
  get closed(): boolean {
    return this.#closed;
  }

  /** Takes the whole of what comes next. */
  follow(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) at = this.#step(bytes, at);
  }

  /** Takes what comes next up to the next boundary. @returns how many bytes that were; all of them when there is none */
  toBoundary(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length && !this.atBoundary) at = this.#step(bytes, at);
    return at;
  }

  /** @returns where it got to: the end of the frame's payload, the next byte of its head, or the end of the bytes */
  #step(bytes: Uint8Array, at: number): number {
    if (this.#left > 0) {
      const taken = Math.min(this.#left, bytes.length - at);
      this.#left -= taken;
      return at + taken;
    }
    this.#head[this.#headSize] = bytes[at] ?? 0;
    this.#headSize += 1;
    if (this.#headSize === headSize(this.#head, this.#headSize)) this.#begin();
    return at + 1;
  }

  #begin(): void {
    this.#left = payloadSize(this.#head);
    this.#closed ||= ((this.#head[0] ?? 0) & 0x0f) === closeOpcode;
    this.#headSize = 0;
  }
}

/** @param known bytes of it that have come. @returns how many it has; as long as that is not known, more than have come */
function headSize(head: Uint8Array, known: number): number {
  if (known < 2) return 2;
  const second = head[1] ?? 0;
  const length = second & 0x7f;
  const extended = length === 126 ? 2 : length === 127 ? 8 : 0;
  return 2 + extended + ((second & 0x80) === 0 ? 0 : 4);
}

function payloadSize(head: Uint8Array): number {
  const length = (head[1] ?? 0) & 0x7f;
  if (length < 126) return length;
  const size = length === 126 ? 2 : 8;
  let total = 0;
  for (let at = 2; at < 2 + size; at += 1) total = total * 256 + (head[at] ?? 0);
  return total;
}
