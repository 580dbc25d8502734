/**
 * Which requests are let through, and what they are for: everything about a request's head that two parsers could read
 * in two ways is refused here (reliability, I1, I2, I9). Pure. Framing itself is node:http's strict parser's work.
 */
import type { IncomingMessage } from 'node:http';
import { canonicalHost } from './host.ts';
import type { PageName } from './pages.ts';

export type Head = Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'rawHeaders'>;

export interface Accepted {
  /** Canonical: a key of the route table. */
  host: string;
  /** As the client wrote it. */
  authority: string;
  /** Origin-form (or `*`), bytes unchanged. */
  target: string;
  /** How the body is framed; none: there is no body. */
  framing: 'length' | 'chunked' | 'none';
}

export type Refused = { refused: PageName };

/** More than any browser or client sends; each costs time in the replica. */
const maxHeaders = 100;

const absoluteForm = /^https?:\/\/([^/?#]*)(.*)$/is;

export function inspect(request: Head): Accepted | Refused {
  const { method, httpVersion, rawHeaders } = request;
  if (method === 'CONNECT' || method === 'TRACE') return { refused: 'methodNotAllowed' };
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return { refused: 'badVersion' };
  if (rawHeaders.length > 2 * maxHeaders) return { refused: 'headersTooMany' };
  const { hosts, codings, lengths } = framingHeaders(rawHeaders);
  const framing = bodyFraming(codings, lengths, httpVersion);
  const place = destination(request, hosts);
  return framing === undefined || place === undefined ? { refused: 'badRequest' } : { ...place, framing };
}

interface FramingHeaders {
  hosts: string[];
  codings: string[];
  lengths: string[];
}

function framingHeaders(rawHeaders: readonly string[]): FramingHeaders {
  const found: FramingHeaders = { hosts: [], codings: [], lengths: [] };
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    // Only names of these lengths: most headers are passed over without making a string.
    if (name.length !== 4 && name.length !== 14 && name.length !== 17) continue;
    const value = rawHeaders[at + 1] ?? '';
    const lower = name.toLowerCase();
    if (lower === 'host') found.hosts.push(value);
    else if (lower === 'content-length') found.lengths.push(value);
    else if (lower === 'transfer-encoding') found.codings.push(value);
  }
  return found;
}

/** @returns undefined for what RFC 9112, 6.1 to 6.3, calls an error or leaves open */
function bodyFraming(codings: string[], lengths: string[], version: string): Accepted['framing'] | undefined {
  if (codings.length === 0) {
    if (lengths.length === 0) return 'none';
    return lengths.length === 1 && /^\d+$/.test(lengths[0] ?? '') ? 'length' : undefined;
  }
  const onlyChunked = codings.length === 1 && codings[0]?.toLowerCase() === 'chunked';
  return onlyChunked && lengths.length === 0 && version === '1.1' ? 'chunked' : undefined;
}

function destination({ method, url = '' }: Head, hosts: string[]): Omit<Accepted, 'framing'> | undefined {
  const [authority] = hosts;
  if (hosts.length !== 1 || authority === undefined) return undefined;
  const host = canonicalHost(authority);
  if (host === undefined) return undefined;
  if (url.startsWith('/') || (url === '*' && method === 'OPTIONS')) return { host, authority, target: url };
  const absolute = absoluteForm.exec(url);
  // RFC 9112, 3.2.2: the target counts, not Host. Where they differ somebody has been misled: refused.
  if (absolute === null || canonicalHost(absolute[1] ?? '') !== host) return undefined;
  const path = absolute[2] ?? '';
  return { host, authority, target: path.startsWith('/') ? path : `/${path}` };
}
