/**
 * The commands of consoles, none of which outlives its console for long: each has a mark and stands in the ledger while it may
 * run. What stands there and belongs to no console of this process was left by a control plane that was killed, or could not
 * be ended when its console did; it is ended at the start, and tried again until that worked.
 */
import type { Clock, Random } from '../../specs/clock.ts';
import type { ExecEngine, ExecRequest, ExecSession } from '../engine/exec.ts';
import type { Log } from '../runtime/log.ts';
import type { Ledger } from './ledger.ts';

/** Milliseconds between two looks. */
const interval = 10_000;

export interface ConsolesDeps {
  engine: ExecEngine;
  ledger: Ledger;
  clock: Clock;
  random: Random;
  log: Pick<Log, 'info' | 'warn'>;
}

export interface Consoles {
  /** As the engine's: `close` has to be called, whatever comes of the command. */
  exec(container: string, request: ExecRequest): Promise<ExecSession>;
  /** Looks no more; waits for what is being ended. Commands of open consoles are left to their consoles. */
  close(): Promise<void>;
}

/** Begins with what was left, now. */
export function startConsoles(deps: ConsolesDeps): Consoles {
  const open = new Set<string>();
  const sweeps = startSweeps(deps, open);
  return {
    exec: (container, request) => execMarked(deps, open, container, request),
    close: () => sweeps.close(),
  };
}

async function execMarked(
  { engine, ledger, random }: ConsolesDeps,
  open: Set<string>,
  container: string,
  request: ExecRequest,
): Promise<ExecSession> {
  const mark = Buffer.from(random(16)).toString('hex');
  open.add(mark);
  const made = (exec: string) => ledger.add({ container, exec, mark });
  const session = await engine.exec(container, { ...request, mark, made }).catch((error: unknown) => {
    // It may have been started all the same: if it stands in the ledger, it is ended with the next look.
    open.delete(mark);
    throw error;
  });
  return {
    stdin: session.stdin,
    output: session.output,
    resize: (size) => session.resize(size),
    exitCode: () => session.exitCode(),
    async close() {
      try {
        await session.close();
        await ledger.remove(mark);
      } finally {
        open.delete(mark);
      }
    },
  };
}

function startSweeps(deps: ConsolesDeps, open: ReadonlySet<string>): { close: () => Promise<void> } {
  const { clock, log } = deps;
  let closed = false;
  let cancel = (): void => undefined;
  let pass = Promise.resolve();
  const run = (): void => {
    pass = sweep(deps, open)
      .catch((err: unknown) => log.warn({ err }, 'what consoles have left running could not be read'))
      .then(() => {
        if (!closed) cancel = clock.after(interval, run);
      });
  };
  run();
  return {
    async close() {
      closed = true;
      cancel();
      await pass;
    },
  };
}

async function sweep({ engine, ledger, log }: ConsolesDeps, open: ReadonlySet<string>): Promise<void> {
  const left = (await ledger.list()).filter(({ mark }) => !open.has(mark));
  await Promise.all(
    left.map(async (entry) => {
      const { container, exec } = entry;
      try {
        await engine.endExec(entry);
        await ledger.remove(entry.mark);
        log.info({ container, exec }, 'what a console had left running was ended');
      } catch (err) {
        log.warn({ err, container, exec }, 'what a console has left running could not be ended yet');
      }
    }),
  );
}
