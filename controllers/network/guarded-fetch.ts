/**
 * One GET on a tenant's word, over plain HTTP, to an address that was judged before (addresses.ts). It connects to that very
 * address, looks nothing up, follows nowhere, and reads no more than it was told.
 */
import { Client } from 'undici';

export interface FetchOrder {
  /** Already found allowed. */
  address: string;
  port: number;
  /** For the header Host. */
  hostname: string;
  path: string;
  /** Bytes of the body that are read. */
  limit: number;
}

export interface Fetched {
  status: number;
  /** Undefined when the body is longer than the limit. */
  body: string | undefined;
}

/** Rejects when there is no HTTP answer, and with the signal's reason. */
export type GuardedFetch = (order: FetchOrder, signal: AbortSignal) => Promise<Fetched>;

export const guardedFetch: GuardedFetch = async ({ address, port, hostname, path, limit }, signal) => {
  const origin = `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
  const client = new Client(origin, { pipelining: 0 });
  try {
    const host = port === 80 ? hostname : `${hostname}:${port}`;
    const headers = { host, 'user-agent': 'svc', accept: 'text/plain' };
    const answer = await client.request({ method: 'GET', path, headers, signal });
    return { status: answer.statusCode, body: await readUpTo(limit, answer.body) };
  } finally {
    await client.destroy();
  }
};

async function readUpTo(limit: number, body: AsyncIterable<Buffer>): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
