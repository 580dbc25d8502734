/**
 * The data path behind its seam: addresses to listen on and snapshots in, requests served. Nothing outside of this
 * folder knows how; to change it, keep `DataPath` (ingress/README.md).
 */
import type { IncomingMessage } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { Body, ReportProblem } from '../member.ts';
import type { Snapshot } from '../snapshot.ts';
import type { TrafficChanges } from '../traffic.ts';
import { answer, answerText } from './answer.ts';
import { createBalance } from './balance.ts';
import { trackConnections } from './connections.ts';
import { Exchange, type ExchangeDeps, type Upgrade } from './exchange.ts';
import { createListeners } from './listeners.ts';
import { createOngoing, type OngoingEvents } from './ongoing.ts';
import { createPool } from './pool.ts';
import { compileRoutes, noRoutes } from './routes.ts';
import { inspect, type Accepted } from './rules.ts';
import { createSecureContexts } from './secure-contexts.ts';
import { createHttpServer, createHttpsServer, type Handle } from './server.ts';
import { isMisdirected, type TlsDeps } from './tls.ts';

export interface DataPath extends Body {
  /** Rejects with an Error that names the address. */
  listen(addresses: readonly string[]): Promise<void>;
  /** The same over TLS. Handshakes are refused until there is a certificate: it could not listen later, without root. */
  listenTls(addresses: readonly string[]): Promise<void>;
  apply(snapshot: Snapshot): void;
  traffic(all: boolean): TrafficChanges | undefined;
}

export interface DataPathDeps extends OngoingEvents {
  /** Certificate and key of an id, as one PEM text. */
  readPair(id: string): Promise<string>;
  report: ReportProblem;
}

export function createDataPath(member: DataPathDeps): DataPath {
  let routes = noRoutes;
  let draining = false;
  const listeners = createListeners();
  const tlsServers: TlsServer[] = [];
  const ongoing = createOngoing(() => routes, member);
  const deps: ExchangeDeps = {
    ...ongoing,
    routes: () => routes,
    balance: createBalance(),
    pool: createPool(),
    connections: trackConnections(),
    draining: () => draining,
    report: member.report,
  };
  const tls: TlsDeps = {
    certificate: (host) => routes.certificate(host),
    contexts: createSecureContexts((id) => member.readPair(id)),
    report: member.report,
  };
  const handle = handler(deps);
  return {
    apply(snapshot) {
      const before = routes;
      routes = compileRoutes(snapshot);
      deps.pool.retain((replica) => routes.upstream(replica));
      deps.balance.retain((service) => snapshot.services[service] !== undefined);
      ongoing.swapped(before);
    },
    busy: () => deps.usage.busy(),
    traffic: (all) => ongoing.changes(all),
    async listen(addresses) {
      for (const address of addresses)
        await listeners.open(createHttpServer(handle, deps.connections), address);
    },
    async listenTls(addresses) {
      for (const address of addresses) {
        const server = createHttpsServer(handle, deps.connections, tls);
        await listeners.open(server, address);
        tlsServers.push(server);
      }
    },
    tickets(keys) {
      for (const server of tlsServers) server.setTicketKeys(keys);
    },
    async drain(limits) {
      draining = true;
      ongoing.end(limits.limit_ms);
      await listeners.drain(limits);
      ongoing.over();
    },
  };
}

/** What happens to each request. */
function handler(deps: ExchangeDeps): Handle {
  return (req, res, upgrade) => {
    const accepted = inspect(req);
    if ('refused' in accepted) {
      answer(req, res, accepted.refused);
      return;
    }
    const { host, target } = accepted;
    if (isMisdirected(req.socket, host)) {
      answer(req, res, 'misdirected');
      return;
    }
    const text = asksOnly(req, accepted, upgrade) ? deps.routes().answer(host, target) : undefined;
    if (text === undefined) new Exchange(deps, req, res, accepted, upgrade).next();
    else answerText(res, text);
  };
}

/** What the ingress may answer by itself: anything that does more is its service's business. */
function asksOnly({ method }: IncomingMessage, { framing }: Accepted, upgrade: Upgrade | undefined): boolean {
  return (method === 'GET' || method === 'HEAD') && framing === 'none' && upgrade === undefined;
}
