/**
 * Where a request came from: the peer of its connection; for what comes through the ingress, the peer of the ingress. The
 * one place that believes a forwarding header, and only on connections that nobody but the ingress can open.
 */
import type { Server } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { App } from './context.ts';

const unknown = 'unknown';

/** Connections of servers that only the ingress reaches. */
const ofIngress = new WeakSet<Socket>();

const noted = new WeakMap<FastifyRequest['raw'], string>();

/**
 * From now on the connections of this server are the ingress'. It must listen on a socket that nobody else may open. That
 * a connection has no address says nothing: one that the client has already cut has none either.
 */
export function trustIngress(server: Server): void {
  server.on('connection', (socket) => ofIngress.add(socket));
}

/** Notes the address of every request as it comes: a connection that is cut forgets its peer. */
export function clientAddresses(app: App): void {
  app.addHook('onRequest', (request, _reply, done) => {
    clientAddress(request);
    done();
  });
}

/** @returns an IP address, IPv4 as such even on a socket that takes both; `unknown` when there is none */
export function clientAddress({ raw }: FastifyRequest): string {
  const known = noted.get(raw);
  if (known !== undefined) return known;
  const address = addressOf(raw);
  noted.set(raw, address);
  return address;
}

function addressOf({ socket, headers }: FastifyRequest['raw']): string {
  // The ingress drops what a client says here and puts its peer's address in its place (ingress/worker/headers.ts).
  const said = ofIngress.has(socket) ? headers['x-forwarded-for'] : socket.remoteAddress;
  if (typeof said !== 'string') return unknown;
  const address = said.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  return isIP(address) === 0 ? unknown : address;
}
