/** Asks a workload for its health over its own socket: one GET, and an answer in words. Never rejects. */
import type { Socket } from 'node:net';
import { Client, type buildConnector, type Dispatcher } from 'undici';
import { durationMs } from '../../specs/duration.ts';
import { UnreachedError, type Upstream } from '../../ingress/index.ts';
import type { Ask, ProbeAnswer } from './prober.ts';

/** Why there is no connection to a workload behind the bridge. */
const unreached: Record<UnreachedError['why'], string> = {
  refused: 'nothing listens on $PORT yet',
  silent: 'it takes no connection on $PORT: it is too busy, or gone',
  unreachable: 'its network does not lead to it',
  lost: 'the bridge to it is not open yet',
};

/** How much of an answer's body is read and quoted. Bytes. */
const bodyLimit = 512;

export interface AskDeps {
  /** Opens a connection to a replica's socket, following no link; of a bridged one, to the workload behind it. */
  dial: (upstream: Upstream, signal: AbortSignal) => Promise<Socket>;
  /** Lets the unprivileged ingress workers in to a socket that the workload made. */
  admit: (upstream: Upstream) => Promise<void>;
}

export function createAsk({ dial, admit }: AskDeps): Ask {
  return async ({ upstream, health, mask }, signal) => {
    const limit = AbortSignal.timeout(durationMs(health.timeout));
    const over = AbortSignal.any([signal, limit]);
    const client = new Client('http://localhost', {
      connect: connector(() => dial(upstream, over)),
      pipelining: 0,
    });
    try {
      if (upstream.via === 'direct') await admit(upstream);
      const response = await get(client, health.path, over);
      return await judge(health.path, response, mask);
    } catch (error) {
      return { ok: false, words: limit.aborted ? 'no answer in time' : explain(error, upstream) };
    } finally {
      await client.destroy();
    }
  };
}

function get(client: Client, path: string, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const headers = { 'user-agent': 'svc-health', accept: '*/*' };
  return client.request({ method: 'GET', path, headers, signal });
}

/** undici's connector: opens the replica's own socket, whatever the URL says. */
function connector(open: () => Promise<Socket>): buildConnector.connector {
  return (_, done) => {
    void open().then(
      (socket) => done(null, socket),
      (error: unknown) => done(error as Error, null),
    );
  };
}

async function judge(
  path: string,
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  mask: (text: string) => string,
): Promise<ProbeAnswer> {
  // Only a refusal is quoted; the body of a good answer may have no end.
  if (status >= 200 && status < 300) return { ok: true, words: `${status} from ${path}` };
  return refusal(status, mask(String(headers['location'] ?? 'nowhere')), mask(await readSome(body)));
}

function refusal(status: number, location: string, body: string): ProbeAnswer {
  if (status >= 300 && status < 400) {
    return {
      ok: false,
      words: `${status} to ${location}: a health path must answer 2xx itself`,
    };
  }
  return { ok: false, words: body === '' ? `${status} with no body` : `${status}: ${JSON.stringify(body)}` };
}

function explain(error: unknown, { via }: Upstream): string {
  if (error instanceof UnreachedError) return unreached[error.why];
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ECONNREFUSED')
    return via === 'direct' ? 'nothing listens on $SVC_SOCKET yet' : unreached.lost;
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET')
    return 'it closed the connection without an answer';
  return error instanceof Error ? error.message : String(error);
}

async function readSome(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= bodyLimit) break;
  }
  const text = Buffer.concat(chunks).subarray(0, bodyLimit).toString('utf8').trim();
  // Cut, perhaps within a character. The mark tells the mask that a secret may have begun.
  return size < bodyLimit ? text : `${text.replace(/\ufffd+$/, '')}…`;
}
