/** JSON lines over a socket, either way. Knows no message; a line that is no JSON, or too long, ends the channel. */
import type { Socket } from 'node:net';

export interface Channel<Out> {
  send(message: Out): void;
  close(): void;
}

export interface ChannelEvents {
  message(value: unknown): void;
  /** Once, whatever the cause. */
  closed(): void;
}

/** @param maxLine characters; memory that the other side can make us hold */
export function openChannel<Out>(socket: Socket, maxLine: number, events: ChannelEvents): Channel<Out> {
  // 'close' follows every error and is what counts: the peer is gone, for whatever reason.
  socket.on('error', () => socket.destroy());
  socket.on('close', () => events.closed());
  socket.setEncoding('utf8');
  const lines = lineSplitter(maxLine);
  socket.on('data', (chunk: string) => {
    try {
      for (const line of lines(chunk)) events.message(JSON.parse(line));
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  });
  return {
    send: (message) => {
      if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
    },
    close: () => socket.destroy(),
  };
}

/** @returns a function that takes the next chunk and gives the lines that are now whole; throws on an overlong one */
function lineSplitter(maxLine: number): (chunk: string) => string[] {
  let parts: string[] = [];
  let length = 0;
  return (chunk) => {
    const pieces = chunk.split('\n');
    const last = pieces.pop() ?? '';
    const whole: string[] = [];
    for (const piece of pieces) {
      whole.push(parts.join('') + piece);
      parts = [];
      length = 0;
    }
    parts.push(last);
    length += last.length;
    if (length > maxLine) throw new Error(`a line of more than ${maxLine} characters`);
    return whole;
  };
}
