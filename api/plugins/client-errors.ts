/** Answers to bytes that are no HTTP request. There is no request to log, to name or to audit, and no reply: only a socket. */
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ConnectionError } from 'fastify';
import type { Clock, Random } from '../../specs/clock.ts';
import { newId } from '../../specs/meta.ts';
import { ProblemError, problems } from '../../specs/problem.ts';
import { problemBody } from './problem.ts';
import { securityHeaders } from './security-headers.ts';

/** Answers a problem on a connection and closes it. */
export type AnswerRaw = (socket: Duplex, problem: ProblemError) => void;

export function rawAnswers(clock: Clock, random: Random): AnswerRaw {
  return (socket, problem) => {
    const { status, title } = problems[problem.code];
    const id = newId('request', clock.now(), random(10));
    const body = JSON.stringify(problemBody(problem, id));
    const headers = {
      ...{ 'content-type': 'application/problem+json', 'x-request-id': id, ...securityHeaders },
      ...{ 'content-length': Buffer.byteLength(body), connection: 'close' },
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${body}`);
  };
}

/** For Fastify's `clientErrorHandler`. */
export function clientErrors(answerRaw: AnswerRaw): (error: ConnectionError, socket: Duplex) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) socket.destroy();
    else answerRaw(socket, parserProblem(error.code));
  };
}

/** Whether an answer to an earlier request is on its way: another would land in its middle. Node's own handler asks the same. */
function isAnswering(socket: Duplex & { _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}

function parserProblem(code: string): ProblemError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ProblemError('too_large', 'The header fields are larger than 16 KiB.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ProblemError('too_large', 'The chunk extensions are larger than 16 KiB.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ProblemError('bad_request', 'The request did not arrive in time.');
    default:
      return new ProblemError('bad_request', 'This is no valid HTTP request.');
  }
}
