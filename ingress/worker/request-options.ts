/** A client's request as it goes on to a replica. */
import type { IncomingMessage } from 'node:http';
import { requestHeaders } from './headers.ts';
import type { Accepted } from './rules.ts';
import { schemeOf } from './tls.ts';

/** Methods whose requests say how long their body is, even when there is none (RFC 9110, 8.6). */
const withBody = new Set(['POST', 'PUT', 'PATCH']);

export function requestOptions(
  { method = 'GET', rawHeaders, socket }: IncomingMessage,
  { authority, target, framing }: Accepted,
): { method: string; path: string; headers: string[] } {
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const headers = requestHeaders(rawHeaders, { address, scheme: schemeOf(socket), authority }, framing);
  if (framing === 'none' && withBody.has(method)) headers.push('Content-Length', '0');
  return { method, path: target, headers };
}
