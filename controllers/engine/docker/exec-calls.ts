/** The Engine API's verbs of an exec, each with its deadline. */
import { Type, type Static } from '@sinclair/typebox';
import type { Clock } from '../../../specs/clock.ts';
import type { TerminalSize } from '../../../specs/console.ts';
import type { Connection } from '../connect.ts';
import { deadlines, withDeadline } from '../deadline.ts';
import type { EngineError } from '../engine.ts';
import { statusOf } from '../errors.ts';
import { expect } from '../expect.ts';
import type { Signalling } from './exec-processes.ts';

const Created = Type.Object({ id: Type.String({ minLength: 1 }) });
const Inspection = Type.Object({
  Running: Type.Boolean(),
  ExitCode: Type.Union([Type.Null(), Type.Integer()]),
  Pid: Type.Integer(),
  ContainerID: Type.String(),
});
export type Inspection = Static<typeof Inspection>;

/** The engine answers before the command runs, and ends the output before it knows the code. Pause in milliseconds. */
const soon = { tries: 100, pause: 50 } as const;

/** @returns what the engine calls it; it is not started */
export async function create(
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

export async function inspect({ quick }: Connection, clock: Clock, id: string): Promise<Inspection> {
  const reply: unknown = await withDeadline(clock, 'look at a command', deadlines.read, (abortSignal) =>
    quick.getExec(id).inspect({ abortSignal } as object),
  );
  return expect(Inspection, reply, 'a command');
}

/** Until it runs the engine refuses (with 409 or 500), and once it has ended (with 404, 409 or 500). */
export async function resize(
  connection: Connection,
  clock: Clock,
  id: string,
  { cols, rows }: TerminalSize,
): Promise<void> {
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

/**
 * As who the commands run as: root with its right to kill, or a user who cannot have become another (no-new-privileges); the
 * engine gives a root in a container of another user no rights at all. Through a shell: most images have no kill of their own.
 */
export function insideOf(connection: Connection, clock: Clock, container: string): Signalling['killInside'] {
  return async (pids, signal) => {
    const script = `kill -s ${signal.slice('SIG'.length)} ${pids.join(' ')}`;
    const id = await create(connection, clock, container, { Cmd: ['sh', '-c', script] });
    await withDeadline(clock, 'end a command', deadlines.write, async (abortSignal) => {
      const reply = await connection.quick.getExec(id).start({ Detach: true, abortSignal });
      // An answer that nobody reads keeps its connection.
      reply.resume();
    });
  };
}

/** Looks until it is as wanted, for some seconds. @returns how it was last */
export async function until(
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
