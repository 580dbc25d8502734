/** Every error answer of the API as RFC 9457 problem+json, Fastify's own included; those of the HTTP parser are in client-errors.ts. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Masks } from '../../specs/mask.ts';
import { ProblemError, problems, type Problem, type ProblemCode } from '../../specs/problem.ts';
import type { App } from '../context.ts';
import { validationError } from '../validation.ts';
import { securityHeaders } from './security-headers.ts';

/** Largest JSON body. */
export const bodyLimit = 1024 * 1024;

/** How much of a hostile path is told back. */
const maxEcho = 200;

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the problem that was answered; null when there was none. */
    problemCode: ProblemCode | null;
  }
}

/** @param masks hide the secrets of the project that a request is about; for an API that knows of projects */
export function problemAnswers(app: App, masks?: Pick<Masks, 'text'>): void {
  app.decorateRequest('problemCode', null);
  app.setSchemaErrorFormatter(validationError);
  app.setErrorHandler((error, request, reply) => {
    const project = request.scope?.project.id;
    const mask: Mask = (text) => (project === undefined ? text : (masks?.text(project, text) ?? text));
    sendProblem(error, request, reply, mask);
  });
  app.setNotFoundHandler((request, reply) => {
    const [path = ''] = request.url.split('?', 1);
    const echo = path.length > maxEcho ? `${path.slice(0, maxEcho)}…` : path;
    const problem = new ProblemError('not_found', `There is no route ${request.method} ${echo}.`);
    sendProblem(problem, request, reply);
  });
}

/** Hides secrets in a text. */
type Mask = (text: string) => string;

/** Answers an error. What is no ProblemError and no client error of Fastify is logged whole and answered without details. */
export function sendProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  mask: Mask = (text) => text,
): void {
  const problem = asProblemError(error);
  request.problemCode = problem.code;
  if (problem.code === 'internal') request.log.error({ err: error }, 'request failed');
  else if (problem.code === 'unavailable')
    request.log.warn({ why: problem.message, err: problem.cause }, 'unavailable');
  if (problem.code === 'unauthenticated') void reply.header('www-authenticate', 'Bearer');
  if (problem.retryAfter !== undefined)
    void reply.header('retry-after', String(Math.ceil(problem.retryAfter)));
  void reply
    .code(problems[problem.code].status)
    .headers(securityHeaders)
    .header('content-type', 'application/problem+json')
    .header('x-request-id', request.id)
    .send(JSON.stringify(problemBody(problem, request.id, mask)));
}

export function problemBody(error: ProblemError, requestId?: string, mask: Mask = (text) => text): Problem {
  const { status, title } = problems[error.code];
  const errors = error.errors?.map(({ path, message }) => ({ path: mask(path), message: mask(message) }));
  return {
    type: `urn:svc:problem:${error.code}`,
    title,
    status,
    detail: mask(error.message),
    code: error.code,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(errors === undefined ? {} : { errors }),
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
  const known = fastifyProblems[code];
  if (known) return new ProblemError(...known, cause);
  switch (status) {
    case 413:
      return new ProblemError('too_large', `The body is larger than ${bodyLimit / 1024} KiB.`, cause);
    case 415:
      return new ProblemError(
        'unsupported_media_type',
        'Send the body as Content-Type: application/json.',
        cause,
      );
    default:
      if (status >= 400 && status < 500) return new ProblemError('bad_request', message, cause);
      return new ProblemError(
        'internal',
        'Something went wrong on the node. Its log has the details under this request id.',
        cause,
      );
  }
}

/** Errors of Fastify whose own words would not do: they quote what came, or have a status that is not in the contract. */
const fastifyProblems: Readonly<Record<string, [ProblemCode, string]>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: ['bad_request', 'The body is no valid JSON.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['bad_request', 'The body is not as long as its Content-Length.'],
  FST_ERR_BAD_URL: ['bad_request', 'The path is not percent-encoded rightly.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'There is no such thing: no name and no id is that long.'],
  ECONNRESET: ['bad_request', 'The connection broke off in the middle of the body.'],
};
