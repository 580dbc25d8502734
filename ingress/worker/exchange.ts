/** One request and its answer: finds a replica that takes it, hands the answer back, and leaves nothing behind. */
import type { ClientRequest, IncomingMessage, RequestOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ReportProblem } from '../member.ts';
import { dial } from '../dial.ts';
import type { Upstream } from '../snapshot.ts';
import { answer } from './answer.ts';
import { attempt } from './attempt.ts';
import type { Balance } from './balance.ts';
import type { Connections } from './connections.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import type { PageName } from './pages.ts';
import type { Pool } from './pool.ts';
import type { Routes } from './routes.ts';
import type { Accepted } from './rules.ts';
import { joinTunnel, switchingHead, upgradeHeaders } from './tunnel.ts';
import type { Usage } from './usage.ts';

export interface ExchangeDeps {
  /** As they are now. */
  routes(): Routes;
  balance: Balance;
  pool: Pool;
  usage: Usage;
  connections: Connections;
  /** Whether client connections are to end after the answer under way. */
  draining(): boolean;
  report: ReportProblem;
}

/** A client that waits to become a tunnel, and what it sent already. */
export interface Upgrade {
  socket: Socket;
  head: Buffer;
}

/**
 * Milliseconds between rounds over all replicas while none takes a connection: a bridge or a replica that is being
 * started again is there after the first few.
 */
const rounds = [50, 100, 200, 400];

/** RFC 9110, 9.2.1: asking twice does no harm. Those with effects are never sent twice by us (9.2.2). */
const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Methods whose requests say how long their body is, even when there is none (RFC 9110, 8.6). */
const withBody = new Set(['POST', 'PUT', 'PATCH']);

export class Exchange {
  readonly #deps: ExchangeDeps;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #accepted: Accepted;
  readonly #upgrade: Upgrade | undefined;
  readonly #replayable: boolean;
  readonly #tried = new Set<string>();
  #round = 0;
  #replayed = false;
  #over = false;
  #attempt: ClientRequest | undefined;
  #release: () => void = () => undefined;

  constructor(
    deps: ExchangeDeps,
    req: IncomingMessage,
    res: ServerResponse,
    accepted: Accepted,
    upgrade?: Upgrade,
  ) {
    this.#deps = deps;
    this.#req = req;
    this.#res = res;
    this.#accepted = accepted;
    this.#upgrade = upgrade;
    this.#replayable = accepted.framing === 'none' && upgrade === undefined && safe.has(req.method ?? '');
    deps.connections.add(req.socket, this);
    res.once('close', () => this.abort());
  }

  /** Tries the next replica. Looks the route up each time anew: it may have been swapped since. */
  next(): void {
    if (this.#over) return;
    const routes = this.#deps.routes();
    const route = routes.find(this.#accepted.host);
    if (route === undefined) {
      this.#answer(routes.revision === 0 ? 'starting' : 'unknownHost');
      return;
    }
    if (!route.running) {
      this.#answer('stopped');
      return;
    }
    if (route.replicas.length === 0) {
      this.#answer('unavailable');
      return;
    }
    const replica = this.#deps.balance.pick(route, this.#tried);
    if (replica === undefined) {
      this.#nextRound();
      return;
    }
    this.#tried.add(replica);
    this.#send(routes, replica);
  }

  /** The client has gone, or has its answer: whatever is still under way towards a replica ends. */
  abort(): void {
    if (this.#over) return;
    this.#over = true;
    this.#deps.connections.remove(this.#req.socket, this);
    this.#attempt?.destroy();
    this.#release();
  }

  #nextRound(): void {
    const delay = rounds[this.#round];
    if (delay === undefined) {
      this.#answer('badGateway');
      return;
    }
    this.#round += 1;
    this.#tried.clear();
    setTimeout(() => this.next(), delay);
  }

  #send(routes: Routes, replica: string): void {
    const upstream = routes.upstream(replica);
    if (upstream === undefined) {
      this.next();
      return;
    }
    const release = this.#deps.usage.begin(replica);
    this.#release = release;
    const body = this.#accepted.framing === 'none' ? undefined : this.#req;
    try {
      this.#attempt = attempt(this.#options(replica, upstream), body, {
        unreachable: () => {
          release();
          this.next();
        },
        failed: (error) => {
          release();
          this.#unanswered(replica, error);
        },
        proceed: () => this.#res.writeContinue(),
        answered: (response) => this.#relay(response),
        upgraded: (response, socket, head) => this.#join(response, socket, head),
      });
    } catch (error) {
      release();
      this.#deps.report('request not sent', { replica, error: String(error) });
      this.#answer('badRequest');
    }
  }

  #options(replica: string, upstream: Upstream): RequestOptions {
    const { authority, target, framing } = this.#accepted;
    const { method = 'GET', rawHeaders, socket } = this.#req;
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
    const headers = requestHeaders(rawHeaders, { address, scheme: 'http', authority }, framing);
    if (framing === 'none' && withBody.has(method)) headers.push('Content-Length', '0');
    const options = { method, path: target, headers };
    // A kept connection may turn out to be closed by the replica, which looks like a failure with effects unknown. Only
    // what may be asked twice takes that risk; the rest pays for a connection of its own.
    if (this.#replayable && !this.#replayed)
      return { ...options, agent: this.#deps.pool.agent(replica, upstream) };
    if (this.#upgrade === undefined) headers.push('Connection', 'close');
    else headers.push(...upgradeHeaders);
    return { ...options, createConnection: () => dial(upstream) };
  }

  /** The replica had the request and ended the connection without a word. */
  #unanswered(replica: string, error: Error): void {
    if (this.#over) return;
    if (this.#replayable && !this.#replayed) {
      // Once: a request that kills its replica must not be taken to all of them.
      this.#replayed = true;
      this.#tried.clear();
      this.next();
      return;
    }
    this.#deps.report('no answer from replica', { replica, error: error.message });
    this.#answer('badGateway');
  }

  #relay(response: IncomingMessage): void {
    const headers = responseHeaders(response.rawHeaders);
    if (this.#deps.draining() || this.#upgrade !== undefined) headers.push('Connection', 'close');
    response.on('error', () => this.#res.destroy());
    try {
      this.#res.writeHead(response.statusCode ?? 502, response.statusMessage, headers);
    } catch (error) {
      this.#deps.report('unusable answer from replica', { error: String(error) });
      response.destroy();
      this.#answer('badGateway');
      return;
    }
    process.nextTick(() => {
      // A stream of events may send its head long before its first byte.
      if (response.readableLength === 0 && !response.complete) this.#res.flushHeaders();
      response.pipe(this.#res);
    });
  }

  #join(response: IncomingMessage, socket: Socket, head: Buffer): void {
    const switching = switchingHead(response);
    if (this.#over || this.#upgrade === undefined || switching === undefined) {
      socket.destroy();
      this.#answer('badGateway');
      return;
    }
    const client = this.#upgrade.socket;
    const release = this.#release;
    // From here on the tunnel ends it, not the exchange.
    this.#over = true;
    this.#deps.connections.remove(client, this);
    this.#res.detachSocket(client);
    client.write(switching, 'latin1');
    if (head.length > 0) client.write(head);
    if (this.#upgrade.head.length > 0) socket.write(this.#upgrade.head);
    joinTunnel(client, socket, release);
  }

  #answer(name: PageName): void {
    if (!this.#over) answer(this.#req, this.#res, name);
  }
}
