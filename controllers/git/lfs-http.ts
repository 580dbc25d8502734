/**
 * Requests to an LFS server, which is wherever a Git host says it is: https alone, each host looked up, judged and connected to
 * at just the address that was judged, redirects included.
 */
import { Client, type Dispatcher } from 'undici';
import { allowedFor, type Cidr } from '../network/addresses.ts';
import { GitError } from './failure.ts';
import type { Lookup } from './host-addresses.ts';

export interface LfsRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

export interface LfsHttpDeps {
  lookup: Lookup;
  allow: readonly Cidr[];
  signal: AbortSignal;
}

const mostRedirects = 5;
/** Milliseconds without a byte. */
const silence = 60_000;

/**
 * Hands the answer to `take`, which reads its body to the end. Throws GitError; the signal's reason.
 * @param take gets answers of 200 alone
 */
export async function requestLfs<T>(
  request: LfsRequest,
  deps: LfsHttpDeps,
  take: (body: AsyncIterable<Buffer>) => Promise<T>,
): Promise<T> {
  let { url, headers } = request;
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const target = httpsUrl(url);
    const client = await connect(target, deps);
    try {
      const answer = await client.request({
        ...{ method: request.method, path: target.pathname + target.search, headers, signal: deps.signal },
        ...(request.body !== undefined && { body: request.body }),
      });
      const next = redirection(answer, target);
      if (next === undefined) return await take(accepted(answer, target));
      // Whom it leads to is not whom the token was meant for.
      if (next.origin !== target.origin) headers = withoutCredentials(headers);
      url = next.href;
    } catch (error) {
      throw failureOf(error, target, deps.signal);
    } finally {
      await client.destroy();
    }
  }
  throw new GitError('CloneFailed', 'The LFS server of the repository redirects without end.');
}

function httpsUrl(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'https:' && url.username === '' && url.password === '') return url;
  throw new GitError(
    'CloneFailed',
    'The LFS server of the repository is no https address: correct it at the Git host.',
  );
}

async function connect(url: URL, { lookup, allow }: LfsHttpDeps): Promise<Client> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const found = await lookup(host);
  const open = found.filter((address) => allowedFor(address, 'git', allow));
  if (open.length === 0) {
    const message = `The LFS server ${host} is at ${found.join(', ')}, which the node never fetches from. The node's operator can open it with SERVICE_FETCH_ALLOW.`;
    throw new GitError('CloneFailed', message);
  }
  const addresses = open.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return new Client(url.origin, {
    ...{ pipelining: 0, headersTimeout: silence, bodyTimeout: silence },
    connect: {
      timeout: 20_000,
      autoSelectFamily: true,
      // Asked for all of them with autoSelectFamily.
      lookup: (_, __, done) => done(null, addresses),
    },
  });
}

function redirection({ statusCode, headers }: Dispatcher.ResponseData, from: URL): URL | undefined {
  const { location } = headers;
  if (statusCode < 300 || statusCode >= 400 || typeof location !== 'string') return undefined;
  return URL.parse(location, from.href) ?? undefined;
}

function accepted({ statusCode, body }: Dispatcher.ResponseData, url: URL): AsyncIterable<Buffer> {
  if (statusCode === 200) return body;
  const what =
    statusCode === 401 || statusCode === 403
      ? 'refuses access: its repository is private, so deploy it from its SSH address'
      : `answers with status ${statusCode}`;
  throw new GitError('CloneFailed', `The LFS server ${url.hostname} ${what}.`);
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'),
  );
}

function failureOf(error: unknown, { hostname }: URL, signal: AbortSignal): unknown {
  if (error instanceof GitError) return error;
  if (signal.aborted) return signal.reason;
  const detail = error instanceof Error ? error.message : String(error);
  return new GitError('CloneFailed', `The LFS server ${hostname} cannot be asked: ${detail}.`, {
    cause: error,
  });
}
