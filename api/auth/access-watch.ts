/**
 * Whether who was let in still may, for what goes on long after its request was checked: streams, uploads. Asked again
 * whenever the user's rights or tokens shrink, and now and then, because tokens expire and keys are rotated.
 */
import type { Clock } from '../../specs/clock.ts';
import type { Accounts } from '../store/accounts.ts';

/** Between two checks that nothing has called for, in milliseconds. */
const recheckMs = 15_000;

export interface AccessWatch {
  /** Aborts once the right is gone; the reason is the error that the same request would get now. */
  signal: AbortSignal;
  /** Asks now, before a step that cannot be taken back. Throws the reason when the right is gone. */
  check(): Promise<void>;
  /** Nothing more is watched. */
  stop(): void;
}

export interface WatchDeps {
  accounts: Pick<Accounts, 'onAccessChange'>;
  clock: Clock;
  /** Null for the bootstrap token, which is nobody's. */
  userId: string | null;
  /** Checks the token and its rights anew. Throws when they do not suffice, or cannot be found out. */
  authorize: () => Promise<unknown>;
}

export function watchAccess({ accounts, clock, userId, authorize }: WatchDeps): AccessWatch {
  const gone = new AbortController();
  const { signal } = gone;
  let cancel = () => {};
  const check = async () => {
    signal.throwIfAborted();
    try {
      await authorize();
    } catch (error) {
      stop();
      gone.abort(error);
      throw error;
    }
  };
  // Whoever listens to the signal hears of it.
  const recheck = () => void check().catch(() => undefined);
  const unsubscribe = accounts.onAccessChange((changed) => {
    if (changed === userId) recheck();
  });
  const wait = () => {
    cancel = clock.after(recheckMs, () => {
      wait();
      recheck();
    });
  };
  const stop = () => {
    cancel();
    unsubscribe();
  };
  wait();
  return { signal, check, stop };
}
