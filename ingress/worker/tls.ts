/**
 * TLS towards clients: which certificate a handshake gets, by the exact hostname that it names. One that names no hostname,
 * or one without a certificate, is refused: a wrong certificate helps nobody and says what else lives here.
 */
import type { ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import type { ReportProblem } from '../member.ts';
import { canonicalHost } from './host.ts';
import { tlsOptions, type SecureContexts } from './secure-contexts.ts';

/** Milliseconds. */
const handshakeWithin = 10_000;

/** A fatal alert, unrecognized_name (RFC 6066, 3; RFC 8446, 6.2), before anything was agreed on. */
const unrecognizedName = Buffer.from([21, 3, 3, 0, 2, 2, 112]);

export interface TlsDeps {
  /** Id of the certificate of a canonical hostname, as things are now. */
  certificate: (host: string) => string | undefined;
  contexts: SecureContexts;
  report: ReportProblem;
}

/** Options of a server; what it does with requests is none of its business. */
export function tlsServerOptions(deps: TlsDeps): ServerOptions {
  return {
    ...tlsOptions,
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: handshakeWithin,
    // Tickets of one worker are good for the others; by default this is made of the command line, where each has its slot.
    sessionIdContext: 'svc',
    SNICallback: sniCallback(deps),
  };
}

/** Node calls it as a method of the connection that shakes hands. */
function sniCallback(deps: TlsDeps): (name: string, done: Done) => void {
  return function (this: unknown, name, done) {
    const refuse = (error: Error): void => {
      sayUnrecognized(this as TLSSocket);
      done(error);
    };
    choose(name, deps).then(
      (context) => (context === undefined ? refuse(new Error('unknown name')) : done(null, context)),
      refuse,
    );
  };
}

type Done = (error: Error | null, context?: SecureContext) => void;

/** @returns undefined for a name without a certificate */
async function choose(name: string, { certificate, contexts, report }: TlsDeps) {
  const host = canonicalHost(name);
  const id = host === undefined ? undefined : certificate(host);
  if (id === undefined) return undefined;
  try {
    return await contexts.of(id);
  } catch (error) {
    report('certificate is unusable', { certificate: id, error: String(error) });
    throw error;
  }
}

/**
 * Node only breaks off, which a browser takes for a broken network. The connection below TLS has no public name in Node;
 * where it is not there the client sees that instead.
 */
function sayUnrecognized(socket: TLSSocket): void {
  const { _parent: connection } = socket as unknown as { _parent?: Socket };
  if (connection?.writable === true) connection.write(unrecognizedName);
}

export function schemeOf(socket: Socket): 'http' | 'https' {
  return isTls(socket) ? 'https' : 'http';
}

/**
 * Whether a request asks for another host than its connection was made for: the client believes to speak to one, and has
 * checked the certificate of the other (RFC 9110, 7.4).
 * @param host canonical
 */
export function isMisdirected(socket: Socket, host: string): boolean {
  return isTls(socket) && canonicalHost(socket.servername || '') !== host;
}

interface Accepted extends Socket {
  /** What the handshake named; false: nothing. */
  servername: string | false;
}

function isTls(socket: Socket): socket is Accepted {
  return (socket as Partial<TLSSocket>).encrypted === true;
}
