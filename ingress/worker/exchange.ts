/** One request and its answer: finds a replica that takes it, hands the answer back, and leaves nothing behind. */
import type { ClientRequest, IncomingMessage, RequestOptions, ServerResponse } from 'node:http';
import type { ReportProblem } from '../member.ts';
import type { Upstream } from '../snapshot.ts';
import { answer } from './answer.ts';
import { attempt } from './attempt.ts';
import type { Balance } from './balance.ts';
import { openConnection } from './connection.ts';
import type { Connections } from './connections.ts';
import { handOn, type EventStream } from './hand-on.ts';
import type { PageName } from './pages.ts';
import { heldBy, type Parking, type Waiter } from './parking.ts';
import type { Pool } from './pool.ts';
import type { Route, Routes } from './routes.ts';
import { requestOptions } from './request-options.ts';
import type { Accepted } from './rules.ts';
import { Search } from './search.ts';
import type { Tally } from './tally.ts';
import { switchingHead, Tunnel, upgradeHeaders, type TunnelEnd } from './tunnel.ts';
import type { UnderWay, Usage, Use } from './usage.ts';

export interface ExchangeDeps {
  /** As they are now. */
  routes(): Routes;
  balance: Balance;
  pool: Pool;
  usage: Usage;
  tally: Tally;
  parking: Parking;
  connections: Connections;
  /** Whether client connections are to end after the answer under way. */
  draining(): boolean;
  report: ReportProblem;
}

/** A client that waits to become a tunnel, and what it sent already. */
export type Upgrade = TunnelEnd;

/** RFC 9110, 9.2.1: asking twice does no harm. Those with effects are never sent twice by us (9.2.2). */
const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

export class Exchange implements UnderWay {
  readonly #deps: ExchangeDeps;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #accepted: Accepted;
  readonly #upgrade: Upgrade | undefined;
  readonly #replayable: boolean;
  #search: Search;
  #replayed = false;
  #over = false;
  #attempt: ClientRequest | undefined;
  /** Of a connection of its own. */
  #dialling: AbortController | undefined;
  #use: Use | undefined;
  #events: EventStream | undefined;
  /** Once it had to wait for a replica. */
  #waiter: Waiter | undefined;

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
    this.#search = new Search(deps.balance);
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
      this.#wait(route);
      return;
    }
    const replica = this.#search.pick(route);
    if (replica === undefined) this.#nextRound(route);
    else this.#send(routes, replica);
  }

  /** The client has gone, or has its answer: whatever is still under way towards a replica ends. */
  abort(): void {
    if (this.#over) return;
    this.#over = true;
    this.#deps.connections.remove(this.#req.socket, this);
    if (this.#waiter !== undefined) this.#deps.parking.leave(this.#waiter);
    this.#dialling?.abort();
    this.#attempt?.destroy();
    this.#use?.end();
  }

  get lasting(): boolean {
    return this.#events !== undefined;
  }

  leave(): void {
    this.#events?.leave();
  }

  cut(): boolean {
    this.#answer('badGateway');
    this.abort();
    return true;
  }

  #nextRound(route: Route): void {
    const delay = this.#search.nextRound();
    if (delay === undefined) this.#wait(route);
    else setTimeout(() => this.next(), delay);
  }

  /** No replica takes it: it waits for one, where the service's requests wait, or is answered so. */
  #wait({ id, park, replicas }: Route): void {
    if (park === null) {
      this.#refuse(id);
      return;
    }
    const first = this.#waiter === undefined;
    this.#waiter ??= this.#asWaiter(id);
    if (!this.#deps.parking.park(this.#waiter, park, first)) this.#refuse(id);
    else if (replicas.length > 0) this.#deps.parking.tryAgain(id);
  }

  #asWaiter(service: string): Waiter {
    // Nobody reads such a socket meanwhile; that its client has gone is only seen so.
    this.#upgrade?.socket.once('end', () => this.#res.destroy());
    return {
      service,
      size: heldBy(this.#req, this.#accepted.framing, this.#upgrade?.socket),
      since: performance.now(),
      go: () => {
        // Who cannot come back is as patient from here on as one that never waited.
        if (this.#deps.routes().find(this.#accepted.host)?.park === null)
          this.#search = new Search(this.#deps.balance);
        else this.#search.again();
        this.next();
      },
      refuse: () => this.#refuse(service),
    };
  }

  #send(routes: Routes, replica: string): void {
    const upstream = routes.upstream(replica);
    if (upstream === undefined) {
      this.next();
      return;
    }
    const use = this.#deps.usage.begin(replica, this);
    this.#use = use;
    const body = this.#accepted.framing === 'none' ? undefined : this.#req;
    try {
      this.#attempt = attempt(this.#options(replica, upstream), body, {
        connected: () => use.asked(),
        unreachable: () => {
          use.end();
          this.next();
        },
        failed: (error) => this.#unanswered(use, error),
        proceed: () => this.#res.writeContinue(),
        answered: (response) => this.#relay(use, response),
        upgraded: (response, socket, head) => this.#join(use, response, { socket, head }),
      });
    } catch (error) {
      use.end();
      this.#deps.report('request not sent', { replica, error: String(error) });
      this.#answer('badRequest');
    }
  }

  #options(replica: string, upstream: Upstream): RequestOptions {
    const options = requestOptions(this.#req, this.#accepted);
    // A kept connection may turn out to be closed by the replica, which looks like a failure with effects unknown. Only
    // what may be asked twice takes that risk; the rest pays for a connection of its own.
    if (this.#replayable && !this.#replayed)
      return { ...options, agent: this.#deps.pool.agent(replica, upstream) };
    if (this.#upgrade === undefined) options.headers.push('Connection', 'close');
    else options.headers.push(...upgradeHeaders);
    const { signal } = (this.#dialling = new AbortController());
    return { ...options, createConnection: (_, created) => openConnection(upstream, created, signal) };
  }

  /** The replica had the request and ended the connection without a word. */
  #unanswered(use: Use, error: Error): void {
    if (this.#over) return;
    if (this.#replayable && !this.#replayed) {
      // Once: a request that kills its replica must not be taken to all of them.
      this.#replayed = true;
      this.#search.again();
      use.retried();
      use.end();
      this.next();
      return;
    }
    this.#deps.report('no answer from replica', { replica: use.replica, error: error.message });
    this.#fail(use);
  }

  #relay(use: Use, response: IncomingMessage): void {
    const isLast = this.#deps.draining() || this.#upgrade !== undefined;
    try {
      this.#events = handOn(response, this.#res, isLast, {
        brokenOff: () => this.#brokenOff(use),
        ended: () => this.#attempt?.destroy(),
      });
    } catch (error) {
      this.#deps.report('unusable answer from replica', { error: String(error) });
      this.#fail(use);
      return;
    }
    if (this.#waiter !== undefined) this.#deps.parking.leave(this.#waiter);
    use.answered(response.statusCode ?? 502);
  }

  #brokenOff(use: Use): void {
    // What we have ended ourselves is no failure of the replica's.
    if (this.#over || this.#res.writableEnded) return;
    use.failed();
    this.#res.destroy();
  }

  #join(use: Use, response: IncomingMessage, replica: TunnelEnd): void {
    const switching = switchingHead(response);
    if (this.#over || this.#upgrade === undefined || switching === undefined) {
      replica.socket.destroy();
      if (!this.#over) this.#fail(use);
      return;
    }
    const { socket: client } = this.#upgrade;
    if (this.#waiter !== undefined) this.#deps.parking.leave(this.#waiter);
    // From here on the tunnel ends it, not the exchange.
    this.#over = true;
    this.#deps.connections.remove(client, this);
    this.#res.detachSocket(client);
    client.write(switching, 'latin1');
    use.answered(101);
    use.tunnels(new Tunnel(this.#upgrade, replica, () => use.end()));
  }

  /** The replica's fault. */
  #fail(use: Use): void {
    use.failed();
    use.end();
    this.#answer('badGateway');
  }

  /** No replica was there to take it: none has seen anything of it. */
  #refuse(service: string): void {
    const counted = this.#deps.tally.service(service);
    counted.figures.unavailable += 1;
    if (this.#waiter !== undefined) counted.figures.parked_rejected += 1;
    counted.touch();
    this.#answer('unavailable');
  }

  #answer(name: PageName): void {
    if (!this.#over) answer(this.#req, this.#res, name);
  }
}
