/**
 * A body has so long to come. One that comes byte by byte is never idle, and would hold its connection for ever: a few
 * thousand of them are all that a node may have open, and a login takes them from strangers. Only uploads, of those who
 * are let in, take as long as they take.
 */
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../specs/clock.ts';
import type { App } from '../context.ts';

/** Milliseconds, for the largest JSON body on a slow line. */
const patienceMs = 60_000;

export function bodyDeadline(app: App, clock: Clock): void {
  const limit = ({ raw }: FastifyRequest) => {
    const cancel = clock.after(patienceMs, () => {
      if (!raw.complete) raw.destroy();
    });
    raw.once('end', cancel).once('close', cancel);
  };
  app.addHook('onRequest', (request, _reply, done) => {
    const isUpload = request.routeOptions.schema?.consumes !== undefined;
    if (hasBody(request) && !isUpload) limit(request);
    done();
  });
  // What a refused stranger still sends is thrown away, which must not last either.
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.principal === null && hasBody(request) && !request.raw.complete) limit(request);
    done();
  });
}

/** RFC 9112, section 6: nothing else announces one. */
function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
