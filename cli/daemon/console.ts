/** Consoles as the API wants them, at the engine of the node: what the engine says becomes an answer. */
import type { Console, ConsoleProcess } from '../../api/ports.ts';
import { EngineError, type Engine } from '../../controllers/engine/engine.ts';
import { ProblemError } from '../../specs/problem.ts';

export function consoleOf(engine: Pick<Engine, 'exec'>): Console {
  return {
    open: (container, request) =>
      answered(async (): Promise<ConsoleProcess> => {
        const session = await engine.exec(container, request);
        return {
          stdin: session.stdin,
          output: session.output,
          resize: (size) => session.resize(size),
          exitCode: () => answered(() => session.exitCode()),
          close: () => session.close(),
        };
      }),
  };
}

async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const { code, message } = error;
    if (code === 'not_found' || code === 'conflict')
      throw new ProblemError(
        'conflict',
        'The replica does not run any more. Open a console in another one.',
        {
          cause: error,
        },
      );
    throw new ProblemError('unavailable', `${message}.`, { cause: error, retryAfter: 5 });
  }
}
