/** One HTTP exchange with a node. Knows headers, time limits and errors; knows no route. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Clock } from '../../specs/clock.ts';
import { openConnections, type Connections } from './exchange.ts';
import { problemError, strangeAnswer, transportError, type Answer } from './problem.ts';
import { twice } from './retry.ts';

interface RequestOptions {
  query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. */
  stream?: Readable;
  /** Of a POST: the node knows no Idempotency-Key here, so that it is not sent again when the connection breaks. */
  keyless?: true;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
  /** Instead of the transport's own token. */
  token?: string | undefined;
  /** Milliseconds without a byte of the body before it counts as broken off. */
  idleTimeout?: number;
  /** Milliseconds that the node may take, after the last byte of the request, to begin its answer. */
  answerTimeout?: number;
}

export interface Transport {
  /** Base URL, for messages. */
  readonly url: string;
  /** The parsed body of an answer below 300; undefined for 204. Throws CliError on any other. */
  json<T>(method: string, path: string, options?: RequestOptions): Promise<T>;
  /** The body of an answer below 300 as it comes. */
  stream(path: string, options?: RequestOptions): Promise<AsyncIterable<Uint8Array>>;
  close(): void;
}

export interface TransportOptions {
  url: string;
  token: string | undefined;
  /** What the user does where the token is not, or no longer, valid. */
  renew?: string | undefined;
  clock: Clock;
  /** Sent as User-Agent. */
  agent: string;
}

/** A transport that keeps its connections until it is closed. */
export function createTransport({ url, token, renew, clock, agent }: TransportOptions): Transport {
  let connections: Connections | undefined;
  const connect = () => (connections ??= openConnections(new URL(new URL(url).origin)));

  async function send(method: string, path: string, options: RequestOptions): Promise<IncomingMessage> {
    try {
      const response = await connect().exchange({
        method,
        path: pathOf(url, path, options.query),
        headers: headersOf(options, agent),
        body: options.stream ?? (options.json === undefined ? undefined : JSON.stringify(options.json)),
        signal: options.signal,
        answerTimeout: options.answerTimeout ?? 60_000,
        idleTimeout: options.idleTimeout ?? 60_000,
      });
      if (statusOf(response) < 300) return response;
      throw problemError(await answerOf(response), url, renew);
    } catch (error) {
      // What the body's own source failed with is no failure of the connection.
      if (error === options.stream?.errored) throw error;
      throw failureOf(error, url, 'head', options.signal);
    }
  }

  async function answered<T>(method: string, path: string, options: RequestOptions): Promise<T> {
    const response = await send(method, path, options);
    try {
      const answer = await answerOf(response);
      if (answer.status === 204) return undefined as T;
      if (!answer.contentType.startsWith('application/json')) throw strangeAnswer(answer, url);
      return parse(answer, url) as T;
    } catch (error) {
      throw failureOf(error, url, 'body', options.signal);
    }
  }

  return {
    url,
    json<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
      const { signal } = options;
      const repeatable = options.stream === undefined;
      const key = method === 'POST' && repeatable && !options.keyless ? randomUUID() : undefined;
      const headers = { ...options.headers, ...(key && { 'idempotency-key': key }) };
      const attempt = () => answered<T>(method, path, { ...options, token: options.token ?? token, headers });
      const idempotent = method === 'GET' || key !== undefined;
      return twice(attempt, { clock, signal, idempotent, repeatable });
    },
    async stream(path, options = {}) {
      return chunks(await send('GET', path, { token, ...options }), url, options.signal);
    },
    close: () => connections?.close(),
  };
}

/** A body that breaks off because the caller leaves fails with a connection's error: the leaving is what counts. */
function failureOf(
  error: unknown,
  url: string,
  part: 'head' | 'body',
  signal: AbortSignal | undefined,
): unknown {
  return signal?.aborted === true ? signal.reason : transportError(error, url, part);
}

function headersOf(options: RequestOptions, agent: string): Record<string, string> {
  const { token } = options;
  return {
    'user-agent': agent,
    'x-request-id': randomUUID(),
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(options.json === undefined ? {} : { 'content-type': 'application/json' }),
    ...options.headers,
  };
}

function pathOf(base: string, path: string, query: RequestOptions['query'] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const prefix = new URL(base).pathname.replace(/\/$/, '');
  return `${prefix}${path}${search.size === 0 ? '' : `?${search.toString()}`}`;
}

async function answerOf(response: IncomingMessage): Promise<Answer> {
  const { headers } = response;
  const body: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) body.push(chunk);
  return {
    status: statusOf(response),
    contentType: headers['content-type'] ?? '',
    requestId: text(headers['x-request-id']),
    retryAfter: headers['retry-after'],
    body: Buffer.concat(body).toString(),
  };
}

function statusOf({ statusCode = 0 }: IncomingMessage): number {
  return statusCode;
}

function parse(answer: Answer, url: string): unknown {
  try {
    return JSON.parse(answer.body);
  } catch {
    throw strangeAnswer(answer, url);
  }
}

async function* chunks(
  body: AsyncIterable<Uint8Array>,
  url: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    throw failureOf(error, url, 'body', signal);
  }
}

function text(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
