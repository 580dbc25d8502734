/** Cuts bytes into lines. UTF-8 that is split between two chunks stays whole; memory is bounded by the longest line. */

const newline = 0x0a;

export class LineSplitter {
  private readonly limit: number;
  private pending: Buffer[] = [];
  private size = 0;

  /** @param limit longest line in bytes; what is longer is cut into several */
  constructor(limit: number) {
    this.limit = limit;
  }

  /** @returns the lines that this chunk completes, without line ends (`\n` or `\r\n`) */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    while (start < chunk.length) {
      const end = chunk.indexOf(newline, start);
      const stop = Math.min(end === -1 ? chunk.length : end, start + this.limit - this.size);
      this.hold(chunk.subarray(start, stop));
      start = stop;
      if (stop === end) {
        lines.push(this.take());
        start++;
      } else if (this.size >= this.limit) {
        lines.push(this.take());
      }
    }
    return lines;
  }

  /** @returns what came after the last line end, if anything did */
  flush(): string[] {
    return this.size > 0 ? [this.take()] : [];
  }

  private hold(part: Buffer): void {
    if (part.length === 0) return;
    // A copy: a view would keep the whole chunk alive.
    this.pending.push(Buffer.from(part));
    this.size += part.length;
  }

  private take(): string {
    const text = Buffer.concat(this.pending).toString('utf8');
    this.pending = [];
    this.size = 0;
    return text.endsWith('\r') ? text.slice(0, -1) : text;
  }
}
