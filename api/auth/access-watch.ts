/**
 * Whether who was let in still may, for what goes on long after its request was checked: streams, uploads. Asked again
 * whenever the user's rights or tokens shrink, when the token expires, and now and then, because sessions run out for want of
 * use and keys are rotated.
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
  /** When the token expires by itself: milliseconds since the epoch, or Infinity. */
  expiresAt: number;
  /** Tells that what the right is to may be gone. @returns unsubscribe */
  onGone?: (listener: () => void) => () => void;
  /** Checks the token and its rights anew. Throws when they do not suffice, or cannot be found out. */
  authorize: () => Promise<unknown>;
}

export function watchAccess({
  accounts,
  clock,
  userId,
  expiresAt,
  authorize,
  onGone,
}: WatchDeps): AccessWatch {
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
  const unsubscribeGone = onGone?.(recheck);
  const wait = () => {
    const left = expiresAt - clock.now();
    // A timer may be early by the clock on the wall: then what is left is waited for as well.
    cancel = clock.after(left > 0 ? Math.min(left, recheckMs) : recheckMs, () => {
      wait();
      recheck();
    });
  };
  const stop = () => {
    cancel();
    unsubscribe();
    unsubscribeGone?.();
  };
  wait();
  return { signal, check, stop };
}
