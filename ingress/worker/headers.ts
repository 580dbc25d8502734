/** Which headers go on to a replica and back to the client. Pure; names and values keep their bytes and their order. */

/** Flat: name, value, name, value, … as node:http has them. */
export type RawHeaders = readonly string[];

export interface Client {
  /** Address of the peer. */
  address: string;
  scheme: 'http' | 'https';
  /** Value of Host. */
  authority: string;
}

/** About one connection only (RFC 9110, 7.6.1, and what predates it). */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);

/** Said by us alone, or by nobody: a replica must be able to believe them. */
const ours = new Set(['forwarded', 'proxy', 'x-real-ip', 'x-original-url', 'x-rewrite-url']);

/** A client must not make us drop these by naming them in Connection (reliability, I6). */
const neverNamed = new Set(['host', 'cookie', 'authorization', 'content-length', 'content-type', 'expect']);

/** @param body how it is framed towards the replica */
export function requestHeaders(
  raw: RawHeaders,
  client: Client,
  body: 'length' | 'chunked' | 'none',
): string[] {
  const named = namedInConnection(raw);
  const headers: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const lower = name.toLowerCase();
    if (hopByHop.has(lower) || ours.has(lower) || lower.startsWith('x-forwarded-') || lower.includes('_'))
      continue;
    if (named?.has(lower) === true && !neverNamed.has(lower)) continue;
    headers.push(name, raw[at + 1] ?? '');
  }
  if (body === 'chunked') headers.push('Transfer-Encoding', 'chunked');
  const { address, scheme, authority } = client;
  headers.push('X-Forwarded-For', address, 'X-Real-IP', address);
  headers.push('X-Forwarded-Proto', scheme, 'X-Forwarded-Host', authority);
  return headers;
}

export function responseHeaders(raw: RawHeaders): string[] {
  const named = namedInConnection(raw);
  const headers: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const lower = name.toLowerCase();
    if (hopByHop.has(lower) || (named?.has(lower) === true && !neverNamed.has(lower))) continue;
    headers.push(name, raw[at + 1] ?? '');
  }
  return headers;
}

/** Tokens of Connection, lower case; undefined when there are none but the usual. */
function namedInConnection(raw: RawHeaders): Set<string> | undefined {
  let named: Set<string> | undefined;
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? '';
    if (name.length !== 10 || name.toLowerCase() !== 'connection') continue;
    const value = (raw[at + 1] ?? '').toLowerCase();
    if (value === 'keep-alive' || value === 'close') continue;
    named ??= new Set();
    for (const token of value.split(',')) named.add(token.trim());
  }
  return named;
}

/** @returns the first value of the header, or undefined */
export function headerValue(raw: RawHeaders, name: string): string | undefined {
  for (let at = 0; at < raw.length; at += 2) {
    if (raw[at]?.length === name.length && raw[at]?.toLowerCase() === name) return raw[at + 1];
  }
  return undefined;
}
