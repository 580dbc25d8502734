/**
 * One HTTP exchange: a request out, the head of its answer in, with a limit on every kind of waiting. On node:http, which is
 * a part of the program already: to load a client of our own would take longer than a small command does.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { urlToHttpOptions } from 'node:url';

export interface Outgoing {
  method: string;
  /** Path and query, as they go out. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Readable | string | undefined;
  signal: AbortSignal | undefined;
  /** Milliseconds in which neither side may be silent: before the answer begins, then between two parts of its body. */
  answerTimeout: number;
  idleTimeout: number;
}

/** Connections to one origin, kept between exchanges until they are closed. */
export interface Connections {
  /**
   * @returns the answer once its head is there; its body breaks off with an error of its own
   * Rejects with the error of the body's source, an AbortError, or a connection's error that has a `code`.
   */
  exchange(outgoing: Outgoing): Promise<IncomingMessage>;
  close(): void;
}

/** Milliseconds. */
const connectTimeout = 10_000;

/** Codes of our own beside those of the system. */
export const timeoutCodes = { answer: 'SVC_ANSWER_TIMEOUT', body: 'SVC_BODY_TIMEOUT' } as const;

export function openConnections(origin: URL): Connections {
  const keeping = { keepAlive: true };
  // Not imported: an import evaluates all that node:http exports, and its WebSocket brings a whole HTTP client of its own.
  const http = process.getBuiltinModule('node:http');
  const https = origin.protocol === 'https:' ? process.getBuiltinModule('node:https') : undefined;
  const agent = https ? new https.Agent(keeping) : new http.Agent(keeping);
  const { request } = https ?? http;
  const place = urlToHttpOptions(origin);

  return {
    exchange({ method, path, headers, body, signal, ...limits }) {
      const options = { ...place, agent, method, path, headers: { ...headers }, timeout: connectTimeout };
      const asked = request(signal ? { ...options, signal } : options);
      return new Promise((resolve, reject) => {
        // Stays for good: what breaks later is told to whoever reads the body.
        asked.on('error', reject);
        asked.once('response', (response) => {
          // An answer that does not wait for the end of the request: the rest of that is not wanted.
          response.once('end', () => {
            if (asked.writableFinished) return;
            asked.destroy();
            if (typeof body === 'object') body.destroy();
          });
          resolve(response);
        });
        watch(asked, limits);
        if (typeof body === 'object') pipeline(body, asked, (error) => error && reject(error));
        else asked.end(body);
      });
    },
    close: () => agent.destroy(),
  };
}

function watch(
  asked: ClientRequest,
  { answerTimeout, idleTimeout }: Pick<Outgoing, 'answerTimeout' | 'idleTimeout'>,
): void {
  let code: string = 'ETIMEDOUT';
  const waitFor = (next: string, ms: number): void => {
    code = next;
    asked.setTimeout(ms);
  };
  asked.once('socket', (socket) => {
    const connected = (): void => waitFor(timeoutCodes.answer, answerTimeout);
    if (socket.connecting) socket.once('connect', connected);
    else connected();
  });
  asked.once('response', () => waitFor(timeoutCodes.body, idleTimeout));
  asked.on('timeout', () => asked.destroy(Object.assign(new Error('no answer in time'), { code })));
}
