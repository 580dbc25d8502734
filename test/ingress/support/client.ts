/** HTTP clients for tests: one that speaks HTTP, and one that sends bytes. */
import { Agent, request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Ask {
  method?: string;
  path?: string;
  headers?: OutgoingHttpHeaders;
  body?: string;
  agent?: Agent;
}

/** Rejects when the connection breaks before the answer is whole. */
export function ask(
  port: number,
  host: string,
  { method = 'GET', path = '/', headers = {}, body, agent }: Ask = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      port,
      host: '127.0.0.1',
      method,
      path,
      headers: { host, ...headers },
      agent: agent ?? new Agent(),
    };
    const asked = request(options, (response) => {
      let text = '';
      response.setEncoding('latin1');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

/** Sends bytes, and gives all that comes back until the other side closes, or `enough` says so. */
export function exchangeRaw(
  port: number,
  bytes: string,
  enough: (text: string) => boolean = () => false,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (enough(text)) socket.destroy();
    });
    // A reset is an end like any other here: what counts is what was said before.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(text));
    socket.write(bytes, 'latin1');
  });
}

/** Reads until `wanted` has come. Rejects when the connection ends before. */
export function readUntil(socket: Socket, wanted: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const take = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      if (!text.includes(wanted)) return;
      socket.off('data', take);
      resolve(text);
    };
    socket.on('data', take);
    socket.once('close', () => reject(new Error(`closed after ${JSON.stringify(text)}`)));
  });
}

/** Asks one after the other on some kept-alive connections until told to stop. */
export interface Load {
  done(): number;
  failures: string[];
  /** Stops and waits for the answers under way. */
  stop(): Promise<void>;
}

export function startLoad(
  t: Pick<TestContext, 'after'>,
  port: number,
  host: string,
  connections: number,
): Load {
  const failures: string[] = [];
  let answered = 0;
  let running = true;
  const one = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (running) {
      try {
        const { status, body } = await ask(port, host, { agent });
        if (status === 200) answered += 1;
        else failures.push(`${status} ${body}`);
      } catch (error) {
        failures.push(String(error));
      }
    }
    agent.destroy();
  };
  const all = Array.from({ length: connections }, one);
  const stop = async (): Promise<void> => {
    running = false;
    await Promise.all(all);
  };
  t.after(stop);
  return { done: () => answered, failures, stop };
}
