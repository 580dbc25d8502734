/** Joins an accepted Unix socket and a TCP connection: bytes, half-closes and back-pressure either way, errors too. */
import { connect, type Socket } from 'node:net';

/**
 * Milliseconds for the workload's network to take a connection; a host that is gone does not refuse. A workload that is too
 * busy to accept is asked again by TCP after 1, 3 and 7 s (RFC 6298, 2.1 and 5.5), and is to get all of these.
 */
const connectWithin = 8_000;

export interface Pipes {
  open(accepted: Socket, address: string, port: number): void;
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
    open(accepted, address, port) {
      const upstream = connect({ host: address, port, allowHalfOpen: true, noDelay: true });
      upstream.setTimeout(connectWithin, () => {
        // If this process itself was held up, it only has yet to hear of the connection.
        setImmediate(() => {
          if (upstream.connecting) upstream.destroy(new Error('connect timed out'));
        });
      });
      upstream.once('connect', () => upstream.setTimeout(0));
      count(accepted);
      join(accepted, upstream);
      join(upstream, accepted);
    },
    end: (limit) =>
      new Promise((resolve) => {
        if (open.size === 0) {
          resolve();
          return;
        }
        const cut = setTimeout(() => {
          for (const socket of open) socket.destroy();
        }, limit);
        ended = () => {
          clearTimeout(cut);
          resolve();
        };
      }),
  };
}

function join(from: Socket, to: Socket): void {
  from.pipe(to);
  // An error is told to the other side as what it is there too: a connection that ends too early.
  from.on('error', () => to.destroy());
  from.on('close', () => {
    // After an orderly end the other side still gets what was sent to it, but can say nothing any longer.
    if (from.readableEnded) to.destroySoon();
    else to.destroy();
  });
}
