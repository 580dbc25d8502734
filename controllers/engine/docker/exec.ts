/**
 * Commands beside a workload: create, start on a connection of its own, resize, exit code. The end of a connection ends no
 * command; exec-processes.ts does.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../specs/clock.ts';
import type { Connection } from '../connect.ts';
import { deadlines, withDeadline } from '../deadline.ts';
import { EngineError } from '../engine.ts';
import type { ExecRequest, ExecSession, LeftExec } from '../exec.ts';
import { create, inspect, insideOf, resize, until, type Inspection } from './exec-calls.ts';
import { execFailure, type ExecFailure } from './exec-failure.ts';
import { read } from './exec-output.ts';
import { endProcesses, type Kill } from './exec-processes.ts';
import { openSocket } from './stream.ts';

/** Of the environment: by which the processes of a command are known. */
const markName = 'SVC_CONSOLE';

export async function exec(
  connection: Connection,
  clock: Clock,
  container: string,
  request: ExecRequest,
  kill: Kill,
): Promise<ExecSession> {
  const { command, tty, size, mark, made } = request;
  const env = { ...request.env, ...(mark !== undefined && { [markName]: mark }) };
  const streams = { AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: tty };
  const id = await create(connection, clock, container, {
    ...streams,
    Cmd: [...command],
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
  });
  await made?.(id);
  const socket = await start(connection, clock, id, request);
  const session = sessionOf({ connection, clock, id, socket, request, kill });
  try {
    // Engines before API 1.42 know no size at the start: there a command may see none for a moment.
    if (tty && size) await session.resize(size);
  } catch (error) {
    await session.close();
    throw error;
  }
  return session;
}

/**
 * What a process that is gone has left. Made and not started yet is nothing, unless the engine has been asked to: that is
 * waited for.
 */
export async function endExec(
  connection: Connection,
  clock: Clock,
  { container, exec: id, mark }: LeftExec,
  kill: Kill,
): Promise<void> {
  const look = () => inspect(connection, clock, id);
  const isSettled = ({ Running, Pid, ExitCode }: Inspection) => (Running ? Pid > 0 : ExitCode !== null);
  const found = await until(clock, look, isSettled).catch((error: unknown) => {
    // An engine that was restarted knows it no more: its processes may be there all the same.
    if (error instanceof EngineError && error.code === 'not_found') return undefined;
    throw error;
  });
  const leader = found?.Running && found.Pid > 0 ? found.Pid : undefined;
  await endProcesses(
    { leader, container, mark: `${markName}=${mark}` },
    { clock, kill, killInside: insideOf(connection, clock, container) },
  );
}

interface Running {
  connection: Connection;
  clock: Clock;
  /** Of the exec. */
  id: string;
  socket: Duplex;
  request: ExecRequest;
  kill: Kill;
}

function sessionOf(running: Running): ExecSession {
  const { connection, clock, id, socket, request, kill } = running;
  const look = () => inspect(connection, clock, id);
  const mark = request.mark === undefined ? undefined : `${markName}=${request.mark}`;
  let failure: ExecFailure | undefined;
  const failureOf = async (said: Buffer): Promise<ExecFailure | undefined> => {
    const { Running, Pid, ExitCode } = await look();
    // It was never made: what runs, or ran, has a number.
    if (Running || Pid > 0 || ExitCode === null) return undefined;
    failure = execFailure(String(said), request.command[0] ?? '');
    return failure;
  };
  return {
    stdin: socket,
    output: read(socket, request.tty, failureOf),
    resize: (size) => resize(connection, clock, id, size),
    async exitCode() {
      if (failure) return failure.code;
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
      const inside = insideOf(connection, clock, ContainerID);
      await endProcesses({ leader: Pid, container: ContainerID, mark }, { clock, kill, killInside: inside });
    },
  };
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
