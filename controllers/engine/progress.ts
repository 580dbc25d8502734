/**
 * Reads the progress of a long call (a build): one JSON object per line. Whatever is wrong in it is an error: an event
 * that reports a failure, a line that is no JSON, an end in the middle of a line. dockerode's own reader takes all three
 * for success or never settles.
 */
import { EngineError } from './engine.ts';
import { LineSplitter } from './lines.ts';

export type ProgressEvent = Readonly<Record<string, unknown>>;

/** The engine reports that what was asked for failed. The message is the engine's own. */
export class ProgressFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProgressFailure';
  }
}

/** No event is larger: the engine sends output of steps in pieces. Bytes. */
const longestEvent = 16 * 1024 * 1024;

/** @throws ProgressFailure on an event with `error` or `errorDetail`; EngineError on anything that is no event */
export async function* progressEvents(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<ProgressEvent, undefined> {
  const splitter = new LineSplitter(longestEvent);
  for await (const chunk of chunks)
    for (const line of splitter.push(chunk)) if (line.trim() !== '') yield parse(line);
  for (const line of splitter.flush()) if (line.trim() !== '') yield parse(line);
  return undefined;
}

function parse(line: string): ProgressEvent {
  const event = fromJson(line);
  if (typeof event !== 'object' || event === null || Array.isArray(event)) throw malformed();
  const { error, errorDetail } = event as { error?: unknown; errorDetail?: { message?: unknown } | null };
  const message = errorDetail?.message ?? error;
  if (message !== undefined)
    throw new ProgressFailure(typeof message === 'string' ? message : 'for no reason that it gave');
  return event as ProgressEvent;
}

function fromJson(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (error) {
    throw malformed(error);
  }
}

function malformed(cause?: unknown): EngineError {
  return new EngineError(
    'unavailable',
    'The container engine sent progress that cannot be read: check what answers on its socket',
    cause,
  );
}
