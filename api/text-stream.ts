/** Text as an answer, pulled by the connection, so that a slow reader costs no memory. */
import { addAbortSignal, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { accessWatch } from './plugins/auth.ts';

/** Answers with the text. It breaks off, so that it is not taken for whole, when the caller may no longer read it. */
export function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  text: AsyncIterable<string>,
  type = 'text/plain; charset=utf-8',
): FastifyReply {
  const body = Readable.from(text, { objectMode: false });
  addAbortSignal(accessWatch(request).signal, body);
  return reply.header('content-type', type).send(body);
}
