/** One at a time, first come first served: the order of transactions. Knows nothing of databases. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ProblemError } from '../../specs/problem.ts';

export interface Turn {
  /** Until `run` has ended. */
  readonly open: boolean;
  /** Marks everything that `work` calls as a part of this turn. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

export interface Turns {
  /** Throws when the turns have ended, or from within an open turn: whoever waits there would wait for itself. */
  mayEnter(): void;
  /** Runs `work` after everything that came before. */
  take<T>(work: (turn: Turn) => T | Promise<T>): Promise<T>;
  /** Refuses what comes from now on, and waits for what came before. */
  end(): Promise<void>;
}

export function turns(): Turns {
  const current = new AsyncLocalStorage<Turn>();
  let tail: Promise<unknown> = Promise.resolve();
  let ended = false;

  function newTurn(): Turn {
    const turn = {
      open: true,
      run: <T>(work: () => Promise<T>): Promise<T> =>
        current.run(turn, work).finally(() => (turn.open = false)),
    };
    return turn;
  }

  function mayEnter(): void {
    if (ended) throw new ProblemError('unavailable', 'The node is stopping.', { retryAfter: 5 });
    // What a turn has left behind (a timer, say) is a part of it by descent, but no longer open.
    if (current.getStore()?.open) throw new Error('Inside write() use its writer, not the store.');
  }

  return {
    mayEnter,
    async take(work) {
      mayEnter();
      const done = tail.then(() => work(newTurn()));
      tail = done.catch(() => undefined);
      return done;
    },
    async end() {
      ended = true;
      await tail;
    },
  };
}
