/** Hands a replica's answer on to the client, with its back-pressure. A stream of events can be ended between two of them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { EventEnds } from './event-ends.ts';
import { headerValue, responseHeaders } from './headers.ts';

/** What can be ended before its end without a loss: the client asks anew and says what it had last (HTML, 9.2.3). */
export interface EventStream {
  /** Ends it behind the event under way. */
  leave(): void;
}

export interface HandOnEvents {
  /** The replica ended before its answer did, or after we did. */
  brokenOff(): void;
  /** We ended it: nothing of the replica's is wanted any longer. */
  ended(): void;
}

/**
 * @param isLast the client's connection is to end with this answer
 * @returns undefined for an ordinary answer. Throws when the client cannot be told its head; nothing has been sent then.
 */
export function handOn(
  response: IncomingMessage,
  res: ServerResponse,
  isLast: boolean,
  events: HandOnEvents,
): EventStream | undefined {
  const headers = responseHeaders(response.rawHeaders);
  if (isLast) headers.push('Connection', 'close');
  response.on('error', () => events.brokenOff());
  try {
    res.writeHead(response.statusCode ?? 502, response.statusMessage, headers);
  } catch (error) {
    response.destroy();
    throw error;
  }
  const stream = isEventStream(response) ? handEventsOn(response, res, () => events.ended()) : undefined;
  process.nextTick(() => {
    // A stream of events may send its head long before its first byte.
    if (response.readableLength === 0 && !response.complete) res.flushHeaders();
    if (stream === undefined) response.pipe(res);
  });
  return stream;
}

function isEventStream({ rawHeaders }: IncomingMessage): boolean {
  const type = headerValue(rawHeaders, 'content-type')?.toLowerCase() ?? '';
  // With a length, an end before it would be a broken answer.
  return type.startsWith('text/event-stream') && headerValue(rawHeaders, 'content-length') === undefined;
}

function handEventsOn(response: IncomingMessage, res: ServerResponse, ended: () => void): EventStream {
  // Inside of a coding no event can be seen; who sends one has sent it whole, or nobody would see it in time.
  const isCoded = headerValue(response.rawHeaders, 'content-encoding') !== undefined;
  const ends = new EventEnds();
  let [leaving, over] = [false, false];
  const end = (): void => {
    if (over) return;
    over = true;
    res.end();
    ended();
  };
  const write = (chunk: Buffer): void => {
    if (!res.write(chunk)) response.pause();
  };
  response.on('data', (chunk: Buffer) => {
    if (over) return;
    if (!leaving) {
      ends.follow(chunk);
      write(chunk);
      return;
    }
    const upTo = ends.toEnd(chunk);
    write(chunk.subarray(0, upTo));
    if (upTo !== undefined) end();
  });
  res.on('drain', () => response.resume());
  response.on('end', () => {
    if (!over) res.end();
  });
  return {
    leave() {
      leaving = true;
      if (isCoded || ends.atEnd) end();
    },
  };
}
