/**
 * A file of numbered JSON lines that grows at its end. A write that failed half-way (a full disk) is cut off before the
 * next, so that no line ever runs into another. No handle is held between writes: any number of idle logs costs nothing.
 */
import { open } from 'node:fs/promises';
import { mend } from './lines.ts';

export interface LogFile {
  readonly path: string;
  /** Where its whole lines end. */
  readonly size: number;
  /** Number of its last line; 0 while it is empty. */
  readonly last: number;
  /** Appends whole lines, the last of them numbered `last`. One call at a time. */
  write(text: string, last: number): Promise<void>;
}

/** Cuts off what a crash left half-written. The file itself comes with the first write. */
export async function openLogFile(path: string): Promise<LogFile> {
  const state = { ...(await mend(path)), torn: false };
  return {
    path,
    get size() {
      return state.size;
    },
    get last() {
      return state.last;
    },
    async write(text, last) {
      const handle = await open(path, 'a', 0o600);
      try {
        if (state.torn) await handle.truncate(state.size);
        state.torn = true;
        await handle.writeFile(text);
        state.torn = false;
      } finally {
        await handle.close();
      }
      state.size += Buffer.byteLength(text);
      state.last = last;
    },
  };
}

/** One line of a file: the number goes first, where it is found without reading the rest. */
export function numbered(seq: number, fields: object): string {
  return `${JSON.stringify({ seq, ...fields })}\n`;
}
