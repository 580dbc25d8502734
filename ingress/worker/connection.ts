/** A connection to a replica, as node:http asks for one. */
import type { Duplex } from 'node:stream';
import { dial } from '../dial.ts';
import type { Upstream } from '../snapshot.ts';

/** The second parameter of node:http's `createConnection`: with an error there is no socket. */
export type Created = (error: Error | null, socket: Duplex) => void;

/** @param signal nobody waits for it any longer: there is an error then */
export function openConnection(
  upstream: Upstream,
  created: Created | undefined,
  signal?: AbortSignal,
): undefined {
  void dial(upstream, signal).then(
    (socket) => created?.(null, socket),
    (error: unknown) => created?.(error as Error, undefined as unknown as Duplex),
  );
}
