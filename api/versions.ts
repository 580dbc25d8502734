/** The version of a resource as its ETag, and `If-Match` on writes (RFC 9110, sections 8.8.3 and 13.1.1). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kind, Row } from '../specs/index.ts';
import { ProblemError } from '../specs/problem.ts';

export function setETag(reply: FastifyReply, row: Row<Kind>): void {
  void reply.header('etag', `"${row.version}"`);
}

/**
 * The version that a write is meant for; undefined when the request asks for none. Throws `precondition_failed` for a
 * tag that this node never gave.
 */
export function ifMatch(request: FastifyRequest): number | undefined {
  const header = request.headers['if-match'];
  if (header === undefined || header === '*') return undefined;
  const version = /^"(\d{1,15})"$/.exec(header)?.[1];
  if (version === undefined) {
    throw new ProblemError('precondition_failed', 'If-Match must be one ETag that this node answered, or *.');
  }
  return Number(version);
}
