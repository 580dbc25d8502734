/**
 * Server-Sent Events (HTML standard, section 9.2). A stream is drained, then sleeps until its bell rings, again and
 * again; it is pulled by the connection, so a slow reader slows the reading of the log and costs no memory.
 */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../specs/clock.ts';
import { accessWatch } from './plugins/auth.ts';

/** Between two comments that tell clients and proxies that the stream is alive. */
const heartbeatMs = 15_000;

interface ServerSentEvent {
  /** What to resume from: mostly a sequence number. */
  id?: number | string;
  event: string;
  data: unknown;
}

export interface EventSource {
  /** What is there now that was not yet sent. */
  drain(): AsyncIterable<ServerSentEvent>;
  /** Whether, after the last drain, nothing will ever follow. */
  isOver(): boolean;
  /** Registers what tells that there may be more. @returns unsubscribe */
  subscribe(ring: () => void): () => void;
}

/**
 * Answers with the stream. It ends when its source is over, the client goes away, `stopping` aborts, or the caller may no
 * longer read it.
 */
export function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  source: EventSource,
  { clock, stopping }: { clock: Clock; stopping: AbortSignal },
): FastifyReply {
  const bell = createBell(clock);
  const unsubscribe = source.subscribe(bell.ring);
  const ends = [stopping, accessWatch(request).signal];
  for (const end of ends) {
    end.addEventListener('abort', bell.silence, { once: true });
    if (end.aborted) bell.silence();
  }
  reply.raw.once('close', () => {
    for (const end of ends) end.removeEventListener('abort', bell.silence);
    unsubscribe();
    bell.silence();
  });
  const frames = Readable.from(follow(source, bell, request), { objectMode: false });
  // A connection that were kept after its stream would hold up the end of the node.
  return reply
    .headers({ 'content-type': 'text/event-stream; charset=utf-8', connection: 'close' })
    .send(frames);
}

/** The id of the last event that the client has, where that is a number; 0 when it has none. */
export function lastEventId(request: FastifyRequest): number {
  const text = lastEventText(request);
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

/** The id of the last event that the client has, as it was given to it; empty when it has none. */
export function lastEventText(request: FastifyRequest): string {
  const header = request.headers['last-event-id'];
  return typeof header === 'string' ? header : '';
}

async function* follow(
  source: EventSource,
  bell: Bell,
  request: FastifyRequest,
): AsyncGenerator<string, void> {
  // Also makes the headers leave at once.
  yield 'retry: 1000\n\n';
  try {
    while (!bell.isSilent()) {
      // Before the drain: what is appended during it must ring again.
      bell.reset();
      for await (const event of source.drain()) {
        if (bell.isSilent()) return;
        yield frame(event);
      }
      if (source.isOver()) return;
      while ((await bell.wait(heartbeatMs)) === 'timeout') yield ': still here\n\n';
    }
  } catch (error) {
    request.log.error({ err: error }, 'stream broke off');
    throw error;
  }
}

function frame({ id, event, data }: ServerSentEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Remembers that it rang, so that a ring between two waits is not lost. Once silent, every wait returns at once. */
interface Bell {
  ring: () => void;
  silence: () => void;
  isSilent(): boolean;
  reset(): void;
  wait(ms: number): Promise<'rung' | 'timeout'>;
}

function createBell(clock: Clock): Bell {
  let rung = false;
  let silent = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      wake?.();
    },
    silence() {
      silent = true;
      wake?.();
    },
    isSilent: () => silent,
    reset() {
      rung = false;
    },
    wait: (ms) =>
      new Promise((resolve) => {
        const settle = () => {
          cancel();
          wake = undefined;
          resolve(rung || silent ? 'rung' : 'timeout');
        };
        const cancel = clock.after(ms, settle);
        wake = settle;
        if (rung || silent) settle();
      }),
  };
}
