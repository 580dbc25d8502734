/** Clients that ask a service all the time, in every way that clients do, and note whatever was not as it should be. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage, type RequestOptions } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';

export interface Target {
  /** Of the ingress, on loopback. */
  port: number;
  host: string;
}

/** What to ask for; each goes on until the load ends. */
export type Client = (target: Target, load: Load) => Promise<void>;

export class Load {
  /** What went wrong, in words. */
  readonly failures: string[] = [];
  /** Answers by kind of client. */
  readonly answers: Record<string, number> = {};
  #over = false;
  readonly #running: Promise<void>[] = [];

  isOver(): boolean {
    return this.#over;
  }

  start(target: Target, clients: readonly Client[]): this {
    this.#running.push(...clients.map((client) => client(target, this)));
    return this;
  }

  answered(kind: string): void {
    this.answers[kind] = (this.answers[kind] ?? 0) + 1;
  }

  /** Every client finishes what it is at. */
  async stop(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#running);
  }
}

/** A kept-alive connection that is used for one request after the other. @param body sent; it has to come back */
export function asking(kind: string, path: string, { body, every = 20 }: Asking = {}): Client {
  return async ({ port, host }, load) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sent = body === undefined ? undefined : randomBytes(body).toString('hex');
    const options = { port, path, agent, host: '127.0.0.1', headers: { host } };
    while (!load.isOver()) {
      try {
        const { status, text } = await exchange(options, sent);
        if (status !== 200) load.failures.push(`${kind}: ${status} ${text}`);
        else if (sent !== undefined && text !== sent) load.failures.push(`${kind}: another body came back`);
        load.answered(kind);
      } catch (error) {
        load.failures.push(`${kind}: ${String(error)}`);
      }
      await pause(every);
    }
    agent.destroy();
  };
}

interface Asking {
  /** Bytes. */
  body?: number;
  /** Milliseconds between two requests. */
  every?: number;
}

async function exchange(options: RequestOptions, body?: string): Promise<{ status: number; text: string }> {
  const asked = request({ ...options, method: body === undefined ? 'GET' : 'POST' }).end(body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode ?? 0, text };
}

/** A stream of events that is opened again whenever it ends; it may only end behind a whole event. */
export function listening(path: string): Client {
  return async ({ port, host }, load) => {
    while (!load.isOver()) {
      const end = new AbortController();
      const asked = request({
        port,
        path,
        host: '127.0.0.1',
        headers: { host },
        agent: false,
        signal: end.signal,
      });
      try {
        const [response] = (await once(asked.end(), 'response')) as [IncomingMessage];
        let text = '';
        for await (const chunk of response) {
          text += String(chunk);
          if (load.isOver()) end.abort();
        }
        if (response.statusCode !== 200) load.failures.push(`events: ${response.statusCode} ${text}`);
        if (!/^(?:data: .*\n\n)*$/.test(text)) load.failures.push('events: ended within an event');
        load.answered('events');
      } catch (error) {
        if (!load.isOver()) load.failures.push(`events: ${String(error)}`);
      }
    }
  };
}

/** A WebSocket that is opened again whenever it is closed; it may only end with a close frame. */
export function connected(path: string): Client {
  return async ({ port, host }, load) => {
    while (!load.isOver()) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { host } });
      socket.on('error', (error) => load.failures.push(`websocket: ${String(error)}`));
      socket.on('message', () => {
        if (load.isOver()) socket.terminate();
      });
      const [code] = (await once(socket, 'close')) as [number];
      // 1006: no close frame came.
      if (code === 1006 && !load.isOver()) load.failures.push('websocket: it broke off');
      load.answered('websocket');
    }
  };
}
