/** The body of a request as a stream that may be destroyed without its connection. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/**
 * What refuses a body half-way destroys its stream; with the request itself that would cut the connection before the
 * refusal is answered. The rest of a refused body is read and thrown away. Errors when the client goes away.
 */
export function detachBody(request: IncomingMessage): Readable {
  let ended = false;
  const onData = (chunk: Buffer) => {
    if (!body.push(chunk)) request.pause();
  };
  const onEnd = () => {
    ended = true;
    body.push(null);
  };
  const onClose = () => {
    if (!ended) body.destroy(new Error('The client went away in the middle of the body.'));
  };
  const body = new Readable({
    read: () => void request.resume(),
    destroy(error, done) {
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      request.resume();
      done(error);
    },
  });
  // `close` follows and tells the same.
  request.on('error', () => undefined);
  request.on('data', onData).on('end', onEnd).on('close', onClose);
  request.pause();
  return body;
}
