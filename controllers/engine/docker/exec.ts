/**
 * Commands beside a workload: create, start on a connection of its own, resize, exit code. The end of a connection ends no
 * command; exec-processes.ts does.
 */
import { Type, type Static } from '@sinclair/typebox';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../specs/clock.ts';
import type { TerminalSize } from '../../../specs/console.ts';
import type { Connection } from '../connect.ts';
import { deadlines, withDeadline } from '../deadline.ts';
import { frames } from '../demux.ts';
import { EngineError } from '../engine.ts';
import type { ExecOutput, ExecRequest, ExecSession } from '../exec.ts';
import { statusOf, toEngineError } from '../errors.ts';
import { expect } from '../expect.ts';
import { endProcesses, type Kill, type Signalling } from './exec-processes.ts';
import { openSocket } from './stream.ts';

const Created = Type.Object({ id: Type.String({ minLength: 1 }) });
const Inspection = Type.Object({
  Running: Type.Boolean(),
  ExitCode: Type.Union([Type.Null(), Type.Integer()]),
  Pid: Type.Integer(),
  ContainerID: Type.String(),
});
type Inspection = Static<typeof Inspection>;

/** The engine answers before the command runs, and ends the output before it knows the code. Pause in milliseconds. */
const soon = { tries: 100, pause: 50 } as const;

export async function exec(
  connection: Connection,
  clock: Clock,
  container: string,
  request: ExecRequest,
  kill: Kill,
): Promise<ExecSession> {
  const { command, tty, env = {}, size } = request;
  const streams = { AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: tty };
  const id = await create(connection, clock, container, {
    ...streams,
    Cmd: [...command],
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
  });
  const socket = await start(connection, clock, id, request);
  const session = sessionOf({ connection, clock, id, socket, tty, kill });
  try {
    // Engines before API 1.42 know no size at the start: there a command may see none for a moment.
    if (tty && size) await session.resize(size);
  } catch (error) {
    await session.close();
    throw error;
  }
  return session;
}

interface Running {
  connection: Connection;
  clock: Clock;
  /** Of the exec. */
  id: string;
  socket: Duplex;
  tty: boolean;
  kill: Kill;
}

function sessionOf(running: Running): ExecSession {
  const { connection, clock, id, socket, tty, kill } = running;
  const look = () => inspect(connection, clock, id);
  return {
    stdin: socket,
    output: read(socket, tty),
    resize: (size) => resize(running, size),
    async exitCode() {
      const { Running, ExitCode } = await until(clock, look, ({ Running }) => !Running);
      if (Running || ExitCode === null)
        throw new EngineError('unavailable', 'The engine ended the output of a command that still runs');
      return ExitCode;
    },
    async close() {
      socket.destroy();
      // A pid that is 0 while it runs has not been made yet.
      const { Running, Pid, ContainerID } = await until(
        clock,
        look,
        ({ Running, Pid }) => !Running || Pid > 0,
      );
      if (!Running) return;
      const inside: Signalling['killInside'] = (pids, signal) =>
        killInside(connection, clock, ContainerID, pids, signal);
      await endProcesses({ leader: Pid, container: ContainerID }, { clock, kill, killInside: inside });
    },
  };
}

async function create(
  { quick }: Connection,
  clock: Clock,
  container: string,
  options: object,
): Promise<string> {
  return withDeadline(clock, 'run a command in the container', deadlines.write, async (abortSignal) => {
    const place = quick.getContainer(encodeURIComponent(container));
    const created = await place.exec({ ...options, abortSignal });
    return expect(Created, { id: created.id }, 'a new command').id;
  });
}

async function start(
  { slow }: Connection,
  clock: Clock,
  id: string,
  { tty, size }: ExecRequest,
): Promise<Duplex> {
  const body = { Detach: false, Tty: tty, ...(tty && size && { ConsoleSize: [size.rows, size.cols] }) };
  const socket = await withDeadline(clock, 'run a command in the container', deadlines.write, (signal) =>
    openSocket(slow, `/exec/${id}/start`, 'tcp', {}, signal, body),
  );
  // Whoever reads it hears of it; who only writes is not to end the process.
  socket.on('error', () => undefined);
  return socket;
}

async function* read(socket: Duplex, tty: boolean): AsyncGenerator<ExecOutput, undefined> {
  const chunks = socket as AsyncIterable<Buffer>;
  try {
    if (tty) for await (const data of chunks) yield { stream: 'stdout', data };
    else for await (const { stream, payload } of frames(chunks)) yield { stream, data: payload };
  } catch (error) {
    throw toEngineError(error, 'run a command in the container');
  }
  return undefined;
}

/** Until it runs the engine refuses (with 409 or 500), and once it has ended (with 404, 409 or 500). */
async function resize({ connection, clock, id }: Running, { cols, rows }: TerminalSize): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await withDeadline(clock, 'resize the terminal', deadlines.read, async (abortSignal) => {
        const options = { _query: { h: rows, w: cols }, _body: {}, abortSignal };
        await connection.quick.getExec(id).resize(options);
      });
      return;
    } catch (error) {
      const isAnswer = statusOf((error as EngineError).cause) !== undefined;
      const { Running, ExitCode } = await inspect(connection, clock, id);
      if (!Running && ExitCode !== null) return;
      if (!isAnswer || tries >= soon.tries) throw error;
      await pause(clock);
    }
  }
}

async function inspect({ quick }: Connection, clock: Clock, id: string): Promise<Inspection> {
  const reply: unknown = await withDeadline(clock, 'look at a command', deadlines.read, (abortSignal) =>
    quick.getExec(id).inspect({ abortSignal } as object),
  );
  return expect(Inspection, reply, 'a command');
}

/**
 * As who the commands run as: root with its right to kill, or a user who cannot have become another (no-new-privileges); the
 * engine gives a root in a container of another user no rights at all. Through a shell: most images have no kill of their own.
 */
async function killInside(
  connection: Connection,
  clock: Clock,
  container: string,
  pids: readonly number[],
  signal: NodeJS.Signals,
): Promise<void> {
  const script = `kill -s ${signal.slice('SIG'.length)} ${pids.join(' ')}`;
  const id = await create(connection, clock, container, { Cmd: ['sh', '-c', script] });
  await withDeadline(clock, 'end a command', deadlines.write, async (abortSignal) => {
    const reply = await connection.quick.getExec(id).start({ Detach: true, abortSignal });
    // An answer that nobody reads keeps its connection.
    reply.resume();
  });
}

/** Looks until it is as wanted, for some seconds. @returns how it was last */
async function until(
  clock: Clock,
  look: () => Promise<Inspection>,
  isWanted: (found: Inspection) => boolean,
): Promise<Inspection> {
  let found = await look();
  for (let tries = 1; !isWanted(found) && tries < soon.tries; tries++) {
    await pause(clock);
    found = await look();
  }
  return found;
}

function pause(clock: Clock): Promise<void> {
  return new Promise((resolve) => clock.after(soon.pause, resolve));
}
