/** Servers that listen, with all their connections, until they drain. Knows nothing of what they serve. */
import { Server as NetServer, type Socket } from 'node:net';
import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { parseListenAddress } from '../listen-address.ts';
import type { DrainLimits } from '../protocol.ts';

/** Connections that wait to be accepted. */
const backlog = 4096;

export interface Listeners {
  /** Rejects with an Error that names the address. */
  open(server: Server | TlsServer, address: string): Promise<void>;
  /** They listen no more. Resolves once no connection is open; after the limit all are cut. */
  drain(limits: DrainLimits): Promise<void>;
}

export function createListeners(): Listeners {
  const servers: (Server | TlsServer)[] = [];
  const sockets = new Set<Socket>();
  return {
    async open(server, address) {
      server.on('connection', (socket: Socket) => {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
      });
      await listen(server, address);
      servers.push(server);
    },
    async drain(limits) {
      await Promise.all(servers.map((server) => drain(server, sockets, limits)));
    },
  };
}

/** Shares the address with the other workers: the kernel spreads the connections. */
async function listen(server: Server | TlsServer, address: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ ...parseListenAddress(address), backlog, reusePort: true }, resolve);
    });
  } catch (cause) {
    throw new Error(`cannot listen on ${address}: ${(cause as Error).message}`, { cause });
  }
}

/** Kept-alive connections get an answer with `Connection: close` while there is time, so that no client sees a reset. */
function drain(
  server: Server | TlsServer,
  sockets: ReadonlySet<Socket>,
  { idle_ms, limit_ms }: DrainLimits,
): Promise<void> {
  return new Promise((resolve) => {
    // What waits to be accepted is accepted in this turn of the loop; then, at once, it listens no more. Not http's own
    // close(): that one cuts idle connections.
    setImmediate(() => NetServer.prototype.close.call(server, () => resolve()));
    const idle = setTimeout(() => server.closeIdleConnections(), idle_ms);
    const limit = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, limit_ms);
    server.once('close', () => {
      clearTimeout(idle);
      clearTimeout(limit);
    });
  });
}
