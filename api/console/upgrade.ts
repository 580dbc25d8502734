/**
 * WebSocket handshakes as requests: each goes through the whole of the API like any other, so that it is logged, checked and
 * refused alike, and becomes a socket only when its route accepts it. No other protocol and no other route is ever upgraded.
 */
import { ServerResponse, type IncomingMessage, type Server, type ServerOptions } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { WebSocketServer, type WebSocket } from 'ws';
import { longestFrame } from '../../specs/console.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { App } from '../context.ts';

interface Upgrade {
  socket: Socket;
  /** What came behind the handshake already. */
  head: Buffer;
  response: ServerResponse;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** Of every server that serves the API. Anything else with an Upgrade header is answered as if it had none (RFC 9110, 7.8). */
export const upgradeOptions: ServerOptions = {
  shouldUpgradeCallback: ({ method, url = '', headers }) =>
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    /^\/v1\/services\/[^/?]+\/console\/ws(?:\?|$)/.test(url),
};

/** @param server made with the options above */
export function serveUpgrades(server: Server, app: Pick<App, 'routing'>): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!(socket instanceof Socket)) throw new Error('This server was made of something else than sockets.');
    // Whoever reads or writes hears of it.
    socket.on('error', () => undefined);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.end());
    upgrades.set(request, { socket, head, response });
    app.routing(request, response);
  });
}

/** Throws `bad_request` unless the request is a handshake that can be accepted (RFC 6455, section 4.2.1). */
export function requireHandshake({ raw }: FastifyRequest): void {
  const { headers } = raw;
  const isOne =
    upgrades.has(raw) &&
    /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '') &&
    headers['sec-websocket-version'] === '13';
  if (!isOne) throw new ProblemError('bad_request', 'This takes a WebSocket handshake of version 13.');
}

/** No compression: what is typed and what a program prints, squeezed together, tells of each other (CRIME). */
const server = new WebSocketServer({
  ...{ noServer: true, clientTracking: false, perMessageDeflate: false },
  maxPayload: longestFrame,
});
const requestIds = new WeakMap<IncomingMessage, string>();
server.on('headers', (headers, request) => void headers.push(`X-Request-Id: ${requestIds.get(request)}`));

/** Answers 101. Rejects when the client has gone, or what it sent cannot be answered so. */
export function acceptHandshake({ raw, id }: FastifyRequest): Promise<WebSocket> {
  const upgrade = upgrades.get(raw);
  if (!upgrade) throw new Error('Nobody asked whether this is a handshake.');
  const { socket, head, response } = upgrade;
  response.detachSocket(socket);
  // None is spoken here, and a list that cannot be read would be refused without a word in the log.
  delete raw.headers['sec-websocket-protocol'];
  requestIds.set(raw, id);
  return new Promise((resolve, reject) => {
    const gone = () => reject(new ProblemError('bad_request', 'The client has gone.'));
    socket.once('close', gone);
    if (socket.destroyed) gone();
    else
      server.handleUpgrade(raw, socket, head, (accepted) => {
        socket.off('close', gone);
        resolve(accepted);
      });
  });
}
