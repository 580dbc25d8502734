/** What a worker or the bridge is started with: one JSON argument, which is also how a survivor is recognised. */
import type { Role } from './protocol.ts';
import type { User } from './run-dir.ts';

/** Argument of a process that only loads its code. */
export const loadOnly = 'load-only';

export interface ProcessOptions {
  role: Role;
  slot: number;
  program: string;
  stateDir: string;
  runDir: string;
  /** Addresses; empty for the bridge. */
  listen: readonly string[];
  /** The same for TLS; absent in what an older version started. */
  listenTls?: readonly string[];
  /** Whom to become once everything that needs root is done; null: stay. */
  user: User | null;
}

/** @returns undefined when the argument is not one that `JSON.stringify` made of ProcessOptions */
export function parseProcessOptions(argument: string | undefined): ProcessOptions | undefined {
  if (argument?.startsWith('{') !== true) return undefined;
  try {
    const value = JSON.parse(argument) as Partial<ProcessOptions>;
    const whole =
      (value.role === 'worker' || value.role === 'bridge') &&
      typeof value.slot === 'number' &&
      typeof value.program === 'string' &&
      typeof value.stateDir === 'string' &&
      typeof value.runDir === 'string' &&
      Array.isArray(value.listen);
    return whole ? (value as ProcessOptions) : undefined;
  } catch {
    // Some other program's argument: not ours, and that is the answer.
    return undefined;
  }
}
