/**
 * Reads a request body and leaves it whole: a refused upload still has to be answered on its connection, so the body is
 * never destroyed here, whatever goes wrong. It stands still from then on; whoever opened it drains or closes it.
 */
import type { Readable } from 'node:stream';
import { unreadable } from './refusal.ts';

/** The chunks of `body`. Throws ProblemError `bad_request` when it breaks off, or the signal aborts. */
export async function* readBody(
  body: Readable,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  let wake: () => void = () => undefined;
  const onEvent = (): void => wake();
  const events = ['readable', 'end', 'error', 'close'] as const;
  for (const event of events) body.on(event, onEvent);
  signal.addEventListener('abort', onEvent);
  try {
    for (;;) {
      if (signal.aborted) throw brokenOff(signal.reason);
      if (body.errored) throw brokenOff(body.errored);
      const chunk = body.read() as Buffer | null;
      if (chunk !== null) {
        yield chunk;
        continue;
      }
      if (body.readableEnded) return;
      if (body.destroyed) throw brokenOff();
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    for (const event of events) body.off(event, onEvent);
    signal.removeEventListener('abort', onEvent);
  }
}

function brokenOff(cause?: unknown): Error {
  return unreadable('the upload broke off before it was complete; send it again', cause);
}
