/** This terminal, or these pipes, as the other end of a console. Leaves the terminal as it was, whatever happens. */
import { spawnSync } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { TerminalSize } from '../../specs/console.ts';
import type { ConsoleSocket } from '../client/console-socket.ts';

export type Terminal = Readable & { setRawMode(raw: boolean): unknown; fd?: number };
export type Screen = Writable & { columns?: number; rows?: number };

/** Undefined where the terminal does not know. */
export function sizeOf({ columns = 0, rows = 0 }: Screen): TerminalSize | undefined {
  return columns > 0 && rows > 0 ? { cols: columns, rows } : undefined;
}

/**
 * Every key goes to the command, Ctrl-C too, and the size of the screen as it changes.
 * @param signal leaves: Node restores a terminal by itself when SIGTERM ends it, but not at SIGHUP
 * @returns the exit code; rejects with the signal's reason
 */
export async function attachTerminal(
  socket: ConsoleSocket,
  input: Terminal,
  screen: Screen,
  signal: AbortSignal,
): Promise<number> {
  const resize = () => {
    const size = sizeOf(screen);
    if (size) socket.resize(size);
  };
  screen.on('resize', resize);
  input.setRawMode(true);
  passOutput(input);
  // What it was between the ticket and now.
  resize();
  const stop = feed(socket, input);
  try {
    return await exitOf(socket, signal);
  } finally {
    stop();
    input.setRawMode(false);
    screen.off('resize', resize);
  }
}

/** Of the command, unless the signal comes first. */
async function exitOf(socket: ConsoleSocket, signal: AbortSignal): Promise<number> {
  const leave = () => socket.leave();
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    socket.begin();
    return await socket.exit;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

/**
 * Node's raw mode still turns line feeds that are shown into new lines, which breaks programs that draw: the terminal of the
 * command has done all that is to be done. Restored with the raw mode. Where there is no stty, it stays so.
 */
function passOutput({ fd }: Terminal): void {
  if (fd !== undefined) spawnSync('stty', ['-opost'], { stdio: [fd, 'ignore', 'ignore'] });
}

/** Input to its end, byte for byte. @returns the exit code; rejects with the signal's reason */
export async function attachPipes(
  socket: ConsoleSocket,
  input: Readable,
  signal: AbortSignal,
): Promise<number> {
  const end = () => socket.endInput();
  const stop = feed(socket, input, end);
  try {
    return await exitOf(socket, signal);
  } finally {
    stop();
  }
}

/** Reads on when what was read is on its way. @returns what lets go of the input, so that it keeps nothing alive */
function feed(socket: ConsoleSocket, input: Readable, end?: () => void): () => void {
  let stopped = false;
  // Node gives strings where somebody has set an encoding, which nobody here does.
  const take = (data: Buffer) => {
    input.pause();
    void socket.write(data).then(() => {
      if (!stopped) input.resume();
    });
  };
  input.on('data', take);
  if (end) input.on('end', end);
  input.resume();
  return () => {
    stopped = true;
    input.off('data', take);
    if (end) input.off('end', end);
    input.pause();
  };
}
