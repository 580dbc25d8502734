/**
 * How acme-client gets to the network: not by itself. Of its own it has no timeouts, follows redirects, sleeps as long as an
 * authority tells it, and loses the type of an error and Retry-After on the way. What it is given instead sends one request
 * once, bounded in time and bytes, and throws an AcmeError for everything but an answer that the library can work with.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { getCACertificates } from 'node:tls';
import acme from 'acme-client';
import { Agent, request, type Dispatcher } from 'undici';
import type { Clock } from '../../specs/clock.ts';
import { AcmeError } from './acme.ts';
import { refusalOf } from './problem.ts';

/** Bytes of an answer: a chain of certificates has some ten thousand. */
const maxAnswer = 1_000_000;

/** Milliseconds for all requests of one call: a nonce, the request itself, and repetitions for a bad nonce. */
const callWithin = 60_000;

export interface Transport {
  /** Runs one call of the library: whatever it requests meanwhile goes this way. */
  within<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** What a request of the library belongs to: the library has one transport for all of its clients. */
interface Current {
  signal: AbortSignal;
  dispatcher: Dispatcher;
  clock: Clock;
}

const current = new AsyncLocalStorage<Current>();

/** @param ca PEM of certificates to trust besides the usual ones */
export function openTransport({ ca, clock }: { ca: string | null; clock: Clock }): Transport {
  acme.axios.defaults.adapter = send;
  const trusted = ca === null ? {} : { ca: [...getCACertificates('default'), ca] };
  const dispatcher = new Agent({ connect: { ...trusted, timeout: 10_000 } });
  return {
    async within(signal, work) {
      const late = new AbortController();
      const cancel = clock.after(callWithin, () => late.abort());
      const all = AbortSignal.any([signal, late.signal]);
      try {
        return await current.run({ signal: all, dispatcher, clock }, work);
      } catch (error) {
        throw asAcmeError(error);
      } finally {
        cancel();
      }
    },
    close: () => dispatcher.destroy(),
  };
}

type Adapter = Extract<typeof acme.axios.defaults.adapter, (...args: never[]) => unknown>;
type Config = Parameters<Adapter>[0];
type Response = Awaited<ReturnType<Adapter>>;

async function send(config: Config): Promise<Response> {
  const call = current.getStore();
  const url = config.url ?? '';
  if (call === undefined) throw new Error('a request of acme-client outside of any call');
  // RFC 8555, 6.1. What an answer names as the next address counts as well.
  if (!url.startsWith('https://'))
    throw new AcmeError('refused', 'The certificate authority names an address that is not https.');
  const { signal, dispatcher, clock } = call;
  const answer = await request(url, {
    method: (config.method ?? 'get').toUpperCase(),
    headers: { 'user-agent': 'svc', ...(config.data !== undefined && jose) },
    ...(config.data !== undefined && { body: String(config.data) }),
    ...{ dispatcher, signal },
  });
  const { statusCode: status } = answer;
  const data = await readBounded(answer.body);
  const headers = flat(answer.headers);
  // The library repeats these itself, with the nonce that comes with the answer (RFC 8555, 6.5).
  const badNonce = status === 400 && data.includes(':badNonce"');
  if ((status < 200 || status >= 300) && !badNonce)
    throw refusalOf(status, data, headers['retry-after'], clock.now());
  return { status, statusText: '', headers, data, config };
}

const jose = { 'content-type': 'application/jose+json' };

async function readBounded(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxAnswer)
      throw new AcmeError('unavailable', 'The certificate authority sent more than an answer can be.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).map(
    ([name, value]) => [name, [value ?? ''].flat().join(', ')] as const,
  );
  return Object.fromEntries(entries);
}

function asAcmeError(error: unknown): AcmeError {
  if (error instanceof AcmeError) return error;
  const { name, code, message } = error as NodeJS.ErrnoException;
  const late = name === 'AbortError' || code?.includes('TIMEOUT') === true;
  const why = late ? 'it took too long' : (code ?? message);
  return new AcmeError(
    'unavailable',
    `The certificate authority could not be asked: ${why}. Check SERVICE_ACME_DIRECTORY and the way there.`,
    { cause: error },
  );
}
