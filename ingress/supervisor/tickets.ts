/**
 * The keys of session tickets: one set for all workers, new every day, so that a key that leaks opens at most a day's
 * resumptions (RFC 8446, F.4; RFC 5077, 5.6). In memory only; a control plane that starts anew makes new ones, which costs
 * each client one full handshake.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../specs/clock.ts';

const keyBytes = 48;
const rotateEvery = 24 * 3_600_000;

export interface Tickets {
  /** base64. */
  keys(): string;
  stop(): void;
}

/** @param changed called after each rotation */
export function rotateTickets(clock: Clock, changed: () => void): Tickets {
  let keys = randomBytes(keyBytes).toString('base64');
  let cancel: () => void = () => undefined;
  const wait = (): void => {
    cancel = clock.after(rotateEvery, () => {
      keys = randomBytes(keyBytes).toString('base64');
      wait();
      changed();
    });
  };
  wait();
  return { keys: () => keys, stop: () => cancel() };
}
