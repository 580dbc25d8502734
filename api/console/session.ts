/**
 * One console: bytes from a WebSocket to a command and back, until the command ends, the client leaves, or somebody ends it.
 * Neither side may fill the node's memory: who does not read is not sent more, and what is not taken is not read.
 */
import type { RawData, WebSocket } from 'ws';
import { Value } from '@sinclair/typebox/value';
import type { Clock } from '../../specs/clock.ts';
import {
  ClientFrame,
  closeCodes,
  type CloseCode,
  type ServerFrame,
  type TerminalSize,
} from '../../specs/console.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { ConsoleProcess } from '../ports.ts';

/** Milliseconds without a byte either way until a console is ended. */
export const idleMs = 30 * 60_000;
/** Between two pings, which keep what lies between from forgetting the connection, and find out that a peer is gone. */
const pingMs = 15_000;
/** Until a peer that does not answer a close is cut off. */
const closingMs = 2_000;

/** Why a console ended. */
export interface ConsoleEnd {
  /** Null when the client just went. */
  closed: CloseCode | null;
  /** In words, for people; empty where the exit code says it all. */
  reason: string;
  /** Of the command, when it ended by itself. */
  exit: number | null;
}

export interface SessionParts {
  socket: WebSocket;
  process: ConsoleProcess;
  tty: boolean;
  clock: Clock;
  /** Ends it from outside: the reason is a ConsoleEnd. */
  ending: AbortSignal;
  /** A size that could not be set, which ends nothing. */
  onResizeFailed: (error: unknown) => void;
}

const left: ConsoleEnd = { closed: null, reason: 'The client has gone.', exit: null };

/** Resolves when all is over and the command has ended. Rejects when it could not be ended. */
export async function runSession(parts: SessionParts): Promise<ConsoleEnd> {
  const { socket, process, clock, ending } = parts;
  const { promise: over, resolve: finish } = Promise.withResolvers<ConsoleEnd>();
  const idle = timer(clock, idleMs, () =>
    finish(ended(closeCodes.idle, 'Nothing was typed or printed for 30 minutes.')),
  );
  const ping = timer(clock, pingMs, () => {
    if (socket.readyState === socket.OPEN) socket.ping();
    ping.restart();
  });
  const endNow = () => finish(ending.reason as ConsoleEnd);
  ending.addEventListener('abort', endNow, { once: true });
  if (ending.aborted) endNow();
  socket.on('close', () => finish(left));
  // A frame that is no frame, or too large: the library has closed with what the RFC says.
  socket.on('error', () => undefined);
  takeInput(parts, { idle, finish });
  sendOutput(parts, idle).then(finish, (error: unknown) =>
    finish(socket.readyState === socket.OPEN ? brokenOff(error) : left),
  );
  const end = await over;
  idle.stop();
  ping.stop();
  ending.removeEventListener('abort', endNow);
  close(socket, end, clock);
  await process.close();
  return end;
}

/** What the command prints, then its exit code. */
async function sendOutput({ socket, process }: SessionParts, idle: Timer): Promise<ConsoleEnd> {
  for await (const { stream, data } of process.output) {
    // The next piece is asked for once this one is out.
    await send(socket, stream === 'stdout' ? data : { stderr: data.toString('base64') });
    idle.restart();
  }
  const exit = await process.exitCode();
  await send(socket, { exit });
  return { closed: closeCodes.done, reason: '', exit };
}

interface Handles {
  idle: Timer;
  finish: (end: ConsoleEnd) => void;
}

// A message is one Buffer: the library gives nothing else unless asked to.
function takeInput({ socket, process, tty, onResizeFailed }: SessionParts, { idle, finish }: Handles): void {
  const { stdin } = process;
  const resize = latest((size: TerminalSize) => process.resize(size), onResizeFailed);
  stdin.on('drain', () => socket.resume());
  stdin.on('error', () => undefined); // The command has closed its input: the rest is nobody's, as with a pipe.
  socket.on('message', (data: RawData, isBinary: boolean) => {
    idle.restart();
    if (isBinary) {
      if (stdin.writableEnded) finish(ended(closeCodes.misused, 'There was input after its end.'));
      else if (stdin.writable && !stdin.write(data)) socket.pause();
      return;
    }
    const frame = frameOf(data);
    if (!frame)
      finish(ended(closeCodes.unsupported, 'A text frame is {"resize": {"cols", "rows"}} or {"eof": true}.'));
    else if ('eof' in frame) stdin.end();
    else if (tty) resize(frame.resize);
  });
}

function frameOf(data: RawData): ClientFrame | undefined {
  try {
    const frame: unknown = JSON.parse((data as Buffer).toString());
    return Value.Check(ClientFrame, frame) ? frame : undefined;
  } catch {
    return undefined;
  }
}

function send(socket: WebSocket, what: Buffer | ServerFrame): Promise<void> {
  const frame = Buffer.isBuffer(what) ? what : JSON.stringify(what);
  return new Promise((resolve, reject) =>
    socket.send(frame, (error) => {
      if (error) reject(error);
      else resolve();
    }),
  );
}

function close(socket: WebSocket, { closed, reason }: ConsoleEnd, clock: Clock): void {
  // Paused, it would not see the answer.
  socket.resume();
  if (closed === null || socket.readyState !== socket.OPEN) {
    socket.terminate();
    return;
  }
  socket.close(closed, shorten(reason));
  const cancel = clock.after(closingMs, () => socket.terminate());
  socket.once('close', cancel);
}

/** The engine has no more of it: because the container has gone, or because it has gone itself. */
function brokenOff(error: unknown): ConsoleEnd {
  const isGone = error instanceof ProblemError && error.code === 'conflict';
  const words = error instanceof Error ? error.message : 'The command broke off.';
  return ended(isGone ? closeCodes.gone : closeCodes.failed, words);
}

export function ended(closed: CloseCode, reason: string): ConsoleEnd {
  return { closed, reason, exit: null };
}

/** A control frame holds 125 bytes, two of them the code (RFC 6455, section 5.5). */
function shorten(reason: string): string {
  const bytes = Buffer.from(reason);
  return bytes.length <= 123
    ? reason
    : `${new TextDecoder().decode(bytes.subarray(0, 119)).replace(/�+$/, '')}…`;
}

interface Timer {
  restart(): void;
  stop(): void;
}

function timer(clock: Clock, ms: number, due: () => void): Timer {
  let cancel = clock.after(ms, due);
  let stopped = false;
  return {
    restart() {
      cancel();
      if (!stopped) cancel = clock.after(ms, due);
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}

/** Runs one at a time; of those that come meanwhile only the last counts. */
function latest<T>(work: (value: T) => Promise<void>, failed: (error: unknown) => void): (value: T) => void {
  let running = false;
  let next: { value: T } | undefined;
  const run = async (): Promise<void> => {
    running = true;
    for (; next;) {
      const { value } = next;
      next = undefined;
      await work(value).catch(failed);
    }
    running = false;
  };
  return (value) => {
    next = { value };
    if (!running) void run();
  };
}
