/** What an exec prints, as it comes. */
import type { Duplex } from 'node:stream';
import { frames } from '../demux.ts';
import { toEngineError } from '../errors.ts';
import type { ExecOutput } from '../exec.ts';
import { mayBeFailure, type ExecFailure } from './exec-failure.ts';

/** Where the engine would print that it could not start the command, it is told in other words. */
export async function* read(
  socket: Duplex,
  tty: boolean,
  failureOf: (said: Buffer) => Promise<ExecFailure | undefined>,
): AsyncGenerator<ExecOutput, undefined> {
  let first = true;
  for await (const piece of pieces(socket, tty)) {
    const failure = first && mayBeFailure(piece.data) ? await failureOf(piece.data) : undefined;
    first = false;
    if (failure) {
      const line = Buffer.from(`${failure.message}${tty ? '\r' : ''}\n`);
      yield { stream: tty ? 'stdout' : 'stderr', data: line };
      return undefined;
    }
    yield piece;
  }
  return undefined;
}

async function* pieces(socket: Duplex, tty: boolean): AsyncGenerator<ExecOutput, undefined> {
  const chunks = socket as AsyncIterable<Buffer>;
  try {
    if (tty) for await (const data of chunks) yield { stream: 'stdout', data };
    else for await (const { stream, payload } of frames(chunks)) yield { stream, data: payload };
  } catch (error) {
    throw toEngineError(error, 'run a command in the container');
  }
  return undefined;
}
