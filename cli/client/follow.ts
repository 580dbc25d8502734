/** Follows a stream of events across broken connections, so that no event is lost and none comes twice. */
import type { Clock } from '../../specs/clock.ts';
import { isTransient } from './problem.ts';
import { parseEvents, type ServerSentEvent } from './server-sent-events.ts';

export interface FollowOptions {
  /** Opens the stream after the event with this id; from its beginning when the id is empty. */
  open(lastEventId: string): Promise<AsyncIterable<Uint8Array>>;
  clock: Clock;
  signal: AbortSignal;
  /** Told when the connection broke and is about to be tried again. */
  onReconnect?: ((attempt: number) => void) | undefined;
}

/** Tries in a row that came to nothing before it gives up: about 40 seconds, enough for a node to be upgraded. */
const attempts = 12;

/** Milliseconds after which a connection was a good one although nothing happened on it. */
const goodConnection = 10_000;

/**
 * Events until the consumer stops, `end` included. The first connection must succeed; later ones are tried again
 * while the node is out of reach. Throws what the last try failed with, and an AbortError once `signal` is aborted.
 */
export async function* followEvents(
  options: FollowOptions,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const { clock, signal } = options;
  let lastEventId = '';
  let isOpened = false;
  for (let failures = 0; ;) {
    const since = clock.now();
    try {
      const body = await options.open(lastEventId);
      isOpened = true;
      for await (const event of parseEvents(body)) {
        failures = 0;
        if (event.id !== '') lastEventId = event.id;
        yield event;
        if (event.event === 'end') return;
      }
    } catch (error) {
      if (signal.aborted || !isOpened || !isTransient(error) || failures >= attempts) throw error;
    }
    failures = clock.now() - since > goodConnection ? 1 : failures + 1;
    if (failures > attempts) throw new Error('The node closes the stream again and again without its end.');
    options.onReconnect?.(failures);
    await pause(clock, Math.min(250 * 2 ** (failures - 1), 5_000), signal);
  }
}

/** Resolves after `ms`, or rejects with the signal's reason as soon as it is aborted. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      cancel();
      reject(abortError(signal));
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

function abortError(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new DOMException('Interrupted.', 'AbortError');
}
