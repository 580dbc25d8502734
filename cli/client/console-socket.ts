/**
 * The WebSocket of a console, as the command line uses it. With ws and not the WebSocket that Node brings (undici's): that one
 * cannot be made to wait, so that a slow pipe would fill the memory, and does not tell why a handshake was refused.
 */
import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { WebSocket, type RawData } from 'ws';
import type { Clock } from '../../specs/clock.ts';
import { closeCodes, type ClientFrame, type ServerFrame, type TerminalSize } from '../../specs/console.ts';
import { CliError, ExitCode } from '../errors.ts';
import { problemError, transportError } from './problem.ts';

export interface ConsoleSocketOptions {
  /** Base URL of the node, for messages. */
  base: string;
  /** Of the socket, with its ticket. */
  url: URL;
  agent: string;
  clock: Clock;
  /** Where what the command prints goes: who does not take it makes the command wait. */
  output: Readonly<Record<'stdout' | 'stderr', Writable>>;
}

export interface ConsoleSocket {
  /** Nothing that the command prints is handed on before: on a terminal, only once that is set up for it. */
  begin(): void;
  /** Resolves once more may be sent. */
  write(data: Buffer): Promise<void>;
  endInput(): void;
  resize(size: TerminalSize): void;
  /** The exit code of the command. Rejects with the CliError that says what came in between. */
  exit: Promise<number>;
  /** Leaves, if it is open; the node then ends the command. */
  leave(): void;
}

/** Milliseconds until a handshake counts as unanswered, and until a node that sends nothing (it pings) counts as gone. */
const patience = { handshake: 60_000, silence: 60_000 } as const;

/** Below the node's limit of a frame, and small enough that keys get through between. */
const longestPiece = 64 * 1024;

/** Resolves once the console is open. Rejects with a CliError. */
export function openConsoleSocket(options: ConsoleSocketOptions): Promise<ConsoleSocket> {
  const { base, url, agent } = options;
  const socket = new WebSocket(url, {
    ...{ perMessageDeflate: false, maxPayload: 16 * 1024 * 1024, handshakeTimeout: patience.handshake },
    headers: { 'user-agent': agent },
  });
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => reject(unreachable(error, base));
    socket.once('error', failed);
    socket.once('unexpected-response', (_request, response) => {
      refusal(response, base).then(reject, reject);
    });
    socket.once('open', () => {
      socket.off('error', failed);
      // Frames may come with the answer itself.
      socket.pause();
      resolve(consoleOf(socket, options));
    });
  });
}

function consoleOf(socket: WebSocket, { base, clock, output }: ConsoleSocketOptions): ConsoleSocket {
  const { promise: exit, resolve, reject } = Promise.withResolvers<number>();
  const life = lifeline(socket, clock);
  let code: number | undefined;
  const full = new Set<'stdout' | 'stderr'>();
  const take = (stream: 'stdout' | 'stderr', data: Buffer) => {
    // What had arrived before the pause still comes: it is waited for once.
    if (output[stream].write(data) || full.has(stream)) return;
    full.add(stream);
    socket.pause();
    life.pause();
    output[stream].once('drain', () => {
      full.delete(stream);
      if (full.size > 0) return;
      socket.resume();
      life.resume();
    });
  };
  socket.on('message', (data: RawData, isBinary: boolean) => {
    if (full.size === 0) life.resume();
    if (isBinary) {
      take('stdout', data as Buffer);
      return;
    }
    const frame = JSON.parse((data as Buffer).toString()) as ServerFrame;
    if ('exit' in frame) code = frame.exit;
    else take('stderr', Buffer.from(frame.stderr, 'base64'));
  });
  socket.on('ping', life.resume);
  // What has failed is told by the close that follows.
  socket.on('error', () => undefined);
  socket.once('close', (closed, reason) => {
    life.pause();
    if (code !== undefined) resolve(code);
    else reject(endOf(closed, String(reason), base));
  });
  const tell = (frame: ClientFrame) => socket.send(JSON.stringify(frame), () => undefined);
  return {
    begin: () => socket.resume(),
    exit,
    async write(data) {
      for (let at = 0; at < data.length; at += longestPiece) {
        const piece = data.subarray(at, at + longestPiece);
        // An error is a connection that has closed, which `exit` tells of.
        await new Promise<void>((sent) => socket.send(piece, () => sent()));
      }
    },
    endInput: () => tell({ eof: true }),
    resize: (size) => tell({ resize: size }),
    leave: () => socket.terminate(),
  };
}

/** Cuts a connection on which the node is silent, unless it is this side that does not listen. */
function lifeline(socket: WebSocket, clock: Clock): { pause: () => void; resume: () => void } {
  const wait = () => clock.after(patience.silence, () => socket.terminate());
  let cancel = wait();
  return {
    pause: () => cancel(),
    resume() {
      cancel();
      cancel = wait();
    },
  };
}

/** Why a console ended before its command. */
function endOf(closed: number, reason: string, base: string): CliError {
  const said = reason === '' ? 'The node ended the console without saying why.' : reason;
  switch (closed) {
    case closeCodes.notAllowed:
      return new CliError(ExitCode.denied, said);
    case closeCodes.idle:
      return new CliError(ExitCode.timedOut, said);
    case closeCodes.leaving:
      return new CliError(ExitCode.unreachable, said, { next: 'Open the console again once it is back.' });
    case 1005:
    case 1006:
      return new CliError(ExitCode.unreachable, `The connection to the node at ${base} was lost.`);
    default:
      return new CliError(ExitCode.failed, said);
  }
}

async function refusal(response: IncomingMessage, base: string): Promise<CliError> {
  const body: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) body.push(chunk);
  const { statusCode: status = 0, headers } = response;
  const answer = { status, contentType: headers['content-type'] ?? '', body: Buffer.concat(body).toString() };
  return problemError({ ...answer, requestId: undefined, retryAfter: headers['retry-after'] }, base);
}

function unreachable(error: Error, base: string): CliError {
  const known = transportError(error, base, 'head');
  if (known instanceof CliError) return known;
  return new CliError(ExitCode.unreachable, `The node at ${base} opened no console: ${error.message}.`, {
    cause: error,
  });
}
