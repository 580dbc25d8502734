/** The HTTP/1.1 side towards clients: node:http with its strict parser, its limits, and what it leaves to us. */
import {
  createServer,
  ServerResponse,
  type IncomingMessage,
  type Server,
  type ServerOptions,
} from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { answer } from './answer.ts';
import type { Connections } from './connections.ts';
import type { Upgrade } from './exchange.ts';
import { tlsServerOptions, type TlsDeps } from './tls.ts';
import { isWebSocket } from './tunnel.ts';

/** Bytes of a request before its body. */
const maxHead = 16 * 1024;

/** Milliseconds. */
const headWithin = 10_000;
const keepAliveFor = 75_000;
const probeAfter = 60_000;

/** Milliseconds that a client which is still sending after its answer is read on, so that it gets to see the answer. */
const linger = 10_000;

export type Handle = (req: IncomingMessage, res: ServerResponse, upgrade?: Upgrade) => void;

const options: ServerOptions = {
  insecureHTTPParser: false,
  maxHeaderSize: maxHead,
  headersTimeout: headWithin,
  // Bodies and answers may take as long as they flow.
  requestTimeout: 0,
  keepAliveTimeout: keepAliveFor,
  connectionsCheckingInterval: 1_000,
  keepAlive: true,
  keepAliveInitialDelay: probeAfter,
  optimizeEmptyRequests: true,
  // An upgrade to anything else is an ordinary request, and the header goes no further.
  shouldUpgradeCallback: isWebSocket,
};

export function createHttpServer(handle: Handle, connections: Connections): Server {
  return serving(createServer(options), handle, connections);
}

/** The same over TLS. */
export function createHttpsServer(handle: Handle, connections: Connections, tls: TlsDeps): TlsServer {
  return serving(createTlsServer({ ...options, ...tlsServerOptions(tls) }), handle, connections);
}

function serving<S extends Server | TlsServer>(server: S, handle: Handle, connections: Connections): S {
  // Dropping some would change what a request means; rules.ts refuses too many.
  server.maxHeadersCount = 0;
  const receive = (req: IncomingMessage, res: ServerResponse): void => {
    res.once('finish', () => readOn(req));
    handle(req, res);
  };
  server.on('request', receive);
  server.on('checkContinue', receive);
  server.on('connect', (req, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    answer(req, rawResponse(req, socket), 'methodNotAllowed');
  });
  server.on('upgrade', (req, socket: Socket, head) => {
    socket.on('error', () => socket.destroy());
    // Answers to requests before it are still to come: they would end up in the tunnel.
    if (connections.isBusy(socket)) return void socket.destroy();
    handle(req, rawResponse(req, socket), { socket, head });
  });
  return server;
}

/** Node takes its hands off a connection that asks for something else; an ordinary answer is still possible so. */
function rawResponse(req: IncomingMessage, socket: Socket): ServerResponse {
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket);
  socket.on('drain', () => res.emit('drain'));
  res.once('finish', () => socket.destroySoon());
  return res;
}

function readOn(req: IncomingMessage): void {
  if (req.complete) return;
  req.unpipe();
  req.resume();
  const { socket } = req;
  setTimeout(() => {
    if (!req.complete) socket.destroy();
  }, linger).unref();
}
