/** Every error answer of the API as RFC 9457 problem+json, Fastify's own and the HTTP parser's included. */
import type { Socket } from 'node:net';
import type { ConnectionError, FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError, problems, type Problem } from '../../specs/problem.ts';
import type { App } from '../context.ts';
import { validationError } from '../validation.ts';

/** Largest JSON body. */
export const bodyLimit = 1024 * 1024;

export function problemAnswers(app: App): void {
  app.setSchemaErrorFormatter(validationError);
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
  app.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?', 1);
    sendProblem(
      new ProblemError('not_found', `There is no route ${request.method} ${path}.`),
      request,
      reply,
    );
  });
}

/** Answers an error. What is no ProblemError and no client error of Fastify is logged whole and answered without details. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = asProblemError(error);
  if (problem.code === 'internal') request.log.error({ err: error }, 'request failed');
  else if (problem.code === 'unavailable')
    request.log.warn({ why: problem.message, err: problem.cause }, 'unavailable');
  if (problem.code === 'unauthenticated') void reply.header('www-authenticate', 'Bearer');
  if (problem.retryAfter !== undefined)
    void reply.header('retry-after', String(Math.ceil(problem.retryAfter)));
  void reply
    .code(problems[problem.code].status)
    .header('content-type', 'application/problem+json')
    .header('x-request-id', request.id)
    .send(JSON.stringify(problemBody(problem, request.id)));
}

function problemBody(error: ProblemError, requestId?: string): Problem {
  const { status, title } = problems[error.code];
  return {
    type: `urn:svc:problem:${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(error.errors === undefined ? {} : { errors: error.errors }),
  };
}

function asProblemError(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  const {
    statusCode = 500,
    code = '',
    message = '',
  } = (error instanceof Error ? error : {}) as Partial<FastifyError>;
  // Only Fastify's word counts: an error from elsewhere may carry a status that was meant for somebody else.
  const status = code.startsWith('FST_') || code === 'ECONNRESET' ? statusCode : 500;
  const cause = { cause: error };
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY')
    return new ProblemError('bad_request', 'The body is no valid JSON.', cause);
  switch (status) {
    case 413:
      return new ProblemError('too_large', `The body is larger than ${bodyLimit / 1024} KiB.`, cause);
    case 415:
      return new ProblemError(
        'unsupported_media_type',
        'Send the body as Content-Type: application/json.',
        cause,
      );
    case 404:
      return new ProblemError('not_found', message, cause);
    default:
      if (status >= 400 && status < 500) return new ProblemError('bad_request', message, cause);
      return new ProblemError(
        'internal',
        'Something went wrong on the node. Its log has the details under this request id.',
        cause,
      );
  }
}

/** For Fastify's `clientErrorHandler`: bytes that are no HTTP request. There is no request to log or to name. */
export function answerClientError(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new ProblemError('too_large', 'The header fields are larger than 16 KiB.')
      : new ProblemError('bad_request', 'This is no valid HTTP request.');
  const { status, title } = problems[problem.code];
  const body = JSON.stringify(problemBody(problem));
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}
