/** A connection that became something else (WebSocket): bytes either way until both have ended. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Frames } from './frames.ts';
import { headerValue, responseHeaders } from './headers.ts';
import type { UnderWay } from './usage.ts';

/** Milliseconds after which the kernel asks whether a silent peer is still there. */
const probeAfter = 30_000;

/** Milliseconds for the client to answer a close frame; then the replica is told by us, and has as long to end. */
const answerWithin = 2_000;

/** Close, 1001 going away (RFC 6455, 7.4.1): without a mask, as a server says it. */
const goingAway = Buffer.from([0x88, 0x02, 0x03, 0xe9]);

/** The same as a client says it. The mask protects others from what a page makes up (10.3): here that is a constant. */
const goingAwayMasked = Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe9]);

/** Only WebSocket: h2c and others would smuggle requests past the ingress (reliability, I9). */
export function isWebSocket(request: Pick<IncomingMessage, 'method' | 'rawHeaders' | 'headers'>): boolean {
  const { method, headers } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  return method === 'GET' && !hasBody && headers.upgrade?.toLowerCase() === 'websocket';
}

/** What goes to the replica besides the usual: these two are hop-by-hop. */
export const upgradeHeaders = ['Connection', 'Upgrade', 'Upgrade', 'websocket'] as const;

/** @returns the answer's head as the client gets it; undefined when the replica switched to something else */
export function switchingHead({ statusMessage, rawHeaders }: IncomingMessage): string | undefined {
  if (headerValue(rawHeaders, 'upgrade')?.toLowerCase() !== 'websocket') return undefined;
  const headers = [...upgradeHeaders, ...responseHeaders(rawHeaders)];
  let head = `HTTP/1.1 101 ${statusMessage ?? 'Switching Protocols'}\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at] ?? ''}: ${headers[at + 1] ?? ''}\r\n`;
  return `${head}\r\n`;
}

/** One end of it, and what it said already. */
export interface TunnelEnd {
  socket: Socket;
  head: Buffer;
}

export class Tunnel implements UnderWay {
  readonly lasting = true;
  readonly #client: Socket;
  readonly #replica: Socket;
  readonly #toClient: Way;
  readonly #toReplica: Way;
  #open = 2;

  /** @param ended called once, when neither side can say anything any longer */
  constructor(client: TunnelEnd, replica: TunnelEnd, ended: () => void) {
    this.#client = client.socket;
    this.#replica = replica.socket;
    this.#toClient = new Way(replica.socket, client.socket);
    this.#toReplica = new Way(client.socket, replica.socket);
    const closed = (): void => {
      this.#open -= 1;
      if (this.#open === 0) ended();
    };
    this.#toClient.open(replica.head, closed);
    this.#toReplica.open(client.head, closed);
  }

  /**
   * The client hears 1001 behind the frame under way and no more; its answer tells the replica, which ends the connection
   * then. So nothing is lost that the client sent before it knew.
   */
  leave(): void {
    this.#toClient.endWith(goingAway, () => {
      later(() => {
        this.#toReplica.endWith(goingAwayMasked, () => undefined);
        later(() => this.#destroy());
      });
    });
  }

  cut(): boolean {
    this.#destroy();
    return !this.#toClient.ended;
  }

  #destroy(): void {
    this.#client.destroy();
    this.#replica.destroy();
  }
}

function later(fn: () => void): void {
  setTimeout(fn, answerWithin).unref();
}

/** One direction. */
class Way {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #frames = new Frames();
  /** Ours, to be said at the next boundary. */
  #last: { frame: Buffer; said: () => void } | undefined;
  #ended = false;

  constructor(from: Socket, to: Socket) {
    this.#from = from;
    this.#to = to;
  }

  /** The last frame of all has been said. */
  get ended(): boolean {
    return this.#ended;
  }

  open(head: Buffer, closed: () => void): void {
    const [from, to] = [this.#from, this.#to];
    from.setTimeout(0);
    from.setNoDelay(true);
    from.setKeepAlive(true, probeAfter);
    if (head.length > 0) this.#take(head);
    from.on('data', (chunk: Buffer) => this.#take(chunk));
    to.on('drain', () => from.resume());
    from.on('end', () => to.end());
    from.on('error', () => to.destroy());
    from.on('close', () => {
      // After an orderly end the other side still gets what was sent to it, but can say nothing any longer.
      if (from.readableEnded) to.destroySoon();
      else to.destroy();
      closed();
    });
    from.resume();
  }

  /** Says this behind the frame under way, and drops what comes then. A way that was closed by its own side is left so. */
  endWith(frame: Buffer, said: () => void): void {
    this.#last = { frame, said };
    if (this.#frames.atBoundary) this.#end();
  }

  #take(chunk: Buffer): void {
    if (this.#ended) return;
    if (this.#last === undefined) {
      this.#frames.follow(chunk);
      this.#write(chunk);
      return;
    }
    this.#write(chunk.subarray(0, this.#frames.toBoundary(chunk)));
    if (this.#frames.atBoundary) this.#end();
  }

  #end(): void {
    this.#ended = true;
    if (!this.#frames.closed && this.#last !== undefined && this.#to.writable)
      this.#to.write(this.#last.frame);
    // What is dropped must come to be dropped.
    this.#from.resume();
    this.#last?.said();
  }

  #write(chunk: Buffer): void {
    if (!this.#to.write(chunk)) this.#from.pause();
  }
}
