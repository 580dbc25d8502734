/** Joins an accepted Unix socket and a TCP connection: bytes, half-closes and back-pressure either way, errors too. */
import type { Socket } from 'node:net';
import { acknowledgement, type Outcome } from '../acknowledgement.ts';
import { patience, reach } from './reach.ts';

export interface Destination {
  address: string;
  port: number;
  /** Whether the accepted side is told how it went, before anything else (ingress/acknowledgement.ts). */
  acknowledged: boolean;
  reached(): void;
  unreached(error: Error): void;
}

export interface Pipes {
  open(accepted: Socket, to: Destination): void;
  /** Resolves once none is open; cuts them after the limit. Milliseconds. */
  end(limit: number): Promise<void>;
}

export function openPipes(): Pipes {
  const open = new Set<Socket>();
  let ended: (() => void) | undefined;
  const count = (socket: Socket): void => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      if (open.size === 0) ended?.();
    });
  };
  return {
    open(accepted, to) {
      count(accepted);
      const reaching = reach(to, to.acknowledged ? patience.acknowledged : patience.plain, {
        reached(upstream) {
          accepted.off('close', reaching.cancel).off('end', left);
          to.reached();
          if (to.acknowledged) accepted.write(acknowledgement('reached'));
          pass(accepted, upstream);
          pass(upstream, accepted);
        },
        unreached(error) {
          to.unreached(error);
          if (to.acknowledged) accepted.write(acknowledgement(outcomeOf(error)));
          accepted.destroySoon();
        },
      });
      const left = (): void => {
        accepted.destroy();
      };
      // Of an error, 'close' tells as well.
      accepted.on('error', () => undefined).once('close', reaching.cancel);
      // It says nothing before it was told, so the end is no half of one: it waits no longer.
      if (to.acknowledged) accepted.once('end', left).resume();
    },
    end: (limit) =>
      new Promise((resolve) => {
        if (open.size === 0) {
          resolve();
          return;
        }
        const cut = setTimeout(() => {
          destroy(...open);
        }, limit);
        ended = () => {
          clearTimeout(cut);
          resolve();
        };
      }),
  };
}

function destroy(...sockets: Socket[]): void {
  for (const socket of sockets) socket.destroy();
}

function outcomeOf(error: Error): Outcome {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return 'refused';
  return code === 'ETIMEDOUT' ? 'silent' : 'unreachable';
}

/** One direction. */
function pass(from: Socket, to: Socket): void {
  from.pipe(to);
  // An error is told to the other side as what it is there too: a connection that ends too early.
  from.on('error', () => to.destroy());
  from.on('close', () => {
    // After an orderly end the other side still gets what was sent to it, but can say nothing any longer.
    if (from.readableEnded) to.destroySoon();
    else to.destroy();
  });
}
