/**
 * The data path behind its seam: addresses to listen on and snapshots in, requests served. Nothing outside of this
 * folder knows how; to change it, keep `DataPath` (ingress/README.md).
 */
import { Server as NetServer, type Socket } from 'node:net';
import type { Server } from 'node:http';
import { parseListenAddress } from '../listen-address.ts';
import type { Body, ReportProblem } from '../member.ts';
import type { DrainLimits } from '../protocol.ts';
import type { Snapshot } from '../snapshot.ts';
import { answer } from './answer.ts';
import { createBalance } from './balance.ts';
import { trackConnections } from './connections.ts';
import { Exchange, type ExchangeDeps } from './exchange.ts';
import { createPool } from './pool.ts';
import { compileRoutes, noRoutes } from './routes.ts';
import { inspect } from './rules.ts';
import { createHttpServer, type Handle } from './server.ts';
import { createUsage } from './usage.ts';

/** Connections that wait to be accepted. */
const backlog = 4096;

export interface DataPath extends Body {
  /** Rejects with an Error that names the address. */
  listen(addresses: readonly string[]): Promise<void>;
  apply(snapshot: Snapshot): void;
}

export interface DataPathDeps {
  report: ReportProblem;
  /** The last request of a replica that is not routed has ended. */
  idle(replica: string): void;
}

export function createDataPath(member: DataPathDeps): DataPath {
  let routes = noRoutes;
  let draining = false;
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const deps: ExchangeDeps = {
    routes: () => routes,
    balance: createBalance(),
    pool: createPool(),
    usage: createUsage(
      (replica) => routes.routed(replica),
      (replica) => member.idle(replica),
    ),
    connections: trackConnections(),
    draining: () => draining,
    report: member.report,
  };
  const handle: Handle = (req, res, upgrade) => {
    const accepted = inspect(req);
    if ('refused' in accepted) answer(req, res, accepted.refused);
    else new Exchange(deps, req, res, accepted, upgrade).next();
  };
  return {
    apply(snapshot) {
      routes = compileRoutes(snapshot);
      deps.pool.retain((replica) => routes.upstream(replica));
      deps.balance.retain((service) => snapshot.services[service] !== undefined);
    },
    busy: () => deps.usage.busy(),
    async listen(addresses) {
      for (const address of addresses) {
        const server = createHttpServer(handle, deps.connections);
        server.on('connection', (socket) => {
          sockets.add(socket);
          socket.once('close', () => sockets.delete(socket));
        });
        await listen(server, address);
        servers.push(server);
      }
    },
    async drain(limits) {
      draining = true;
      await Promise.all(servers.map((server) => drain(server, sockets, limits)));
    },
  };
}

/** Shares the address with the other workers: the kernel spreads the connections. */
async function listen(server: Server, address: string): Promise<void> {
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
  server: Server,
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
