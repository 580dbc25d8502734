/** The version of a resource as its ETag, and `If-Match` on writes (RFC 9110, sections 8.8.3 and 13.1.1). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '../specs/problem.ts';
import type { App } from './context.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route writes has no version, so that no `If-Match` but `*` can be true. */
    unversioned?: true;
  }
}

/** Refuses a condition that the route cannot check: passed over, it would be a guard that is not there. */
export function preconditions(app: App): void {
  app.addHook('preHandler', (request, _reply, done) => {
    const { method, headers, routeOptions } = request;
    const condition = headers['if-match']?.trim() ?? '*';
    const holds = routeOptions.config.unversioned !== true || method === 'GET' || condition === '*';
    done(holds ? undefined : failed('What this writes has no ETag.'));
  });
}

/** What has a version: a row, a user. */
interface Versioned {
  version: number;
}

export function setETag(reply: FastifyReply, { version }: Versioned): void {
  void reply.header('etag', `"${version}"`);
}

const entityTag = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/**
 * The version that a write is meant for; undefined when the request asks for none, or for any (`*`). The write itself
 * compares, in its transaction. Throws `precondition_failed` when nothing could match: tags are compared strongly, so a
 * weak one never does.
 * @param current what is to be written, as it was read: it says which of several tags is meant
 */
export function ifMatch(request: FastifyRequest, current?: Versioned): number | undefined {
  const header = request.headers['if-match'];
  if (header === undefined || header.trim() === '*') return undefined;
  const versions = versionsOf(header);
  const [first] = versions;
  if (first === undefined) {
    throw failed('If-Match names no version that this node answered as an ETag.');
  }
  return current && versions.includes(current.version) ? current.version : first;
}

function failed(detail: string): ProblemError {
  return new ProblemError('precondition_failed', detail);
}

/** The versions among the tags of a list; none when it is no list of tags. */
function versionsOf(header: string): number[] {
  const tags = header.split(',').map((tag) => tag.trim());
  if (!tags.every((tag) => tag === '' || entityTag.test(tag))) return [];
  return tags.flatMap((tag) => {
    const version = /^"(\d{1,15})"$/.exec(tag)?.[1];
    return version === undefined ? [] : [Number(version)];
  });
}
