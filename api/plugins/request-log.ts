/**
 * The id of every request, and one log line for each, at level debug for a read that went well. A line has no header, no
 * query and no body, so that no secret can get into it.
 */
import type { IncomingMessage } from 'node:http';
import type { Clock, Random } from '../../specs/clock.ts';
import { newId } from '../../specs/meta.ts';
import type { App } from '../context.ts';

const wellFormed = /^[A-Za-z0-9._-]{1,128}$/;

/** For Fastify's `genReqId`: the caller's X-Request-Id when it is well-formed, else a new one. */
export function requestIds(clock: Clock, random: Random): (request: IncomingMessage) => string {
  return (request) => {
    const given = request.headers['x-request-id'];
    return typeof given === 'string' && wellFormed.test(given)
      ? given
      : newId('request', clock.now(), random(10));
  };
}

export function requestLog(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { principal } = request;
    // A read that went well changes nothing and tells nothing: polls of clients would be most of the log.
    const isQuiet = reply.statusCode < 400 && (request.method === 'GET' || request.method === 'HEAD');
    request.log[isQuiet ? 'debug' : 'info'](
      {
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...(principal === null
          ? {}
          : { kind: principal.kind, user: principal.user?.username, token_id: principal.tokenId }),
      },
      'request',
    );
    done();
  });
}
