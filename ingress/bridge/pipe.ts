/** Joins an accepted Unix socket and a TCP connection: bytes, half-closes and back-pressure either way, errors too. */
import { connect, type Socket } from 'node:net';
import { acknowledgement, type Outcome } from '../acknowledgement.ts';

/**
 * Milliseconds for the workload's network to take a connection. On the node's own networks it takes well under one; later than
 * this TCP would only ask again (RFC 6298, 2.1), for its question was lost: the workload is too busy to accept, or it is gone,
 * and a host that is gone does not refuse. Who waits for the acknowledgement asks again as well, and may have another replica to
 * ask. Who does not is to get all that TCP does, after 1, 3 and 7 s.
 */
const connectWithin = { acknowledged: 1_000, plain: 8_000 };

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
      const upstream = reach(to);
      pass(accepted, upstream);
      const failed = (error: Error): void => {
        to.unreached(error);
        if (to.acknowledged) accepted.write(acknowledgement(outcomeOf(error)));
        accepted.destroySoon();
      };
      upstream.once('error', failed);
      upstream.once('connect', () => {
        upstream.off('error', failed);
        to.reached();
        if (to.acknowledged) accepted.write(acknowledgement('reached'));
        pass(upstream, accepted);
      });
      if (!to.acknowledged) return;
      accepted.once('end', () => {
        // It says nothing before it was told, so this is no half-close: it waits no longer.
        if (upstream.connecting) destroy(upstream, accepted);
      });
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

/** @returns a socket that is connecting, and gives up in time */
function reach({ address: host, port, acknowledged }: Destination): Socket {
  const upstream = connect({ host, port, allowHalfOpen: true, noDelay: true });
  upstream.setTimeout(acknowledged ? connectWithin.acknowledged : connectWithin.plain, () => {
    // If this process itself was held up, it only has yet to hear of the connection.
    setImmediate(() => {
      const error = Object.assign(new Error(`connect ETIMEDOUT ${host}:${port}`), { code: 'ETIMEDOUT' });
      if (upstream.connecting) upstream.destroy(error);
    });
  });
  return upstream.once('connect', () => upstream.setTimeout(0));
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
