/**
 * What a request must look like before anything is read of it, beyond what Node's parser checks. Refusing here keeps two
 * readers of the same bytes, such as a proxy before the node and the node, from seeing two different requests.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ProblemError } from '../../specs/problem.ts';
import type { App } from '../context.ts';
import type { AnswerRaw } from './client-errors.ts';

/** Node counts to 2000, and then drops the rest without a word. */
const maxHeaderFields = 100;

const notDecodable = 'The path is not percent-encoded rightly.';

/**
 * For Fastify's `rewriteUrl`: a path that cannot be decoded is taken literally, so that the request goes the way of all
 * others, into the log and the audit, until it is refused here. Fastify would refuse it before there is any of that.
 */
export function literalUrl({ url = '' }: IncomingMessage): string {
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}

export function framing(app: App, answerRaw: AnswerRaw): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const isLiteral = request.originalUrl !== request.url;
    done(isLiteral ? new ProblemError('bad_request', notDecodable) : fault(request.raw));
  });
  // Node would hang up without an answer.
  app.server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    answerRaw(socket, new ProblemError('bad_request', 'This is no proxy: CONNECT leads nowhere.'));
  });
  // Node would answer 417 without a body; an expectation other than 100-continue may be ignored (RFC 9110, 10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
}

function fault({ rawHeaders, headers, httpVersion }: IncomingMessage): ProblemError | undefined {
  if (rawHeaders.length > 2 * maxHeaderFields) {
    return new ProblemError('too_large', `The request has more than ${maxHeaderFields} header fields.`);
  }
  // RFC 9112, section 3.2. Node alone would answer a missing one with 400 and no body.
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
    return new ProblemError('bad_request', 'A request takes exactly one Host header.');
  }
  // RFC 9112, section 6.1: a coding that is not understood is not passed over.
  const transfer = headers['transfer-encoding'];
  if (transfer !== undefined && transfer.trim().toLowerCase() !== 'chunked') {
    return new ProblemError('bad_request', 'The only Transfer-Encoding that is understood here is chunked.');
  }
  // RFC 9110, section 15.5.16.
  const content = headers['content-encoding'];
  if (content !== undefined && content.trim().toLowerCase() !== 'identity') {
    return new ProblemError('unsupported_media_type', 'Send the body without a Content-Encoding.');
  }
  return undefined;
}
