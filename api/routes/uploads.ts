/** Build contexts, streamed straight to where they are checked and staged. */
import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import { UploadResource } from '../../specs/resources.ts';
import { serviceInPath, serviceOf } from '../auth/scope.ts';
import type { ApiContext, App } from '../context.ts';
import { livingService } from '../desired/living.ts';
import { detachBody } from '../detached-body.ts';
import { accessWatch } from '../plugins/auth.ts';
import { replay, type FirstAnswer } from '../plugins/idempotency.ts';
import type { StoredAnswer } from '../store/idempotency.ts';
import { uploadView } from '../views/upload.ts';

const mediaTypes = ['application/zstd', 'application/x-tar+zstd', 'application/octet-stream'];

/** In a plugin of its own: its parsers must not reach the JSON routes. */
export function uploadRoutes(app: App, api: ApiContext, firstAnswer: FirstAnswer): void {
  void app.register((scope: App, _options, done) => {
    scope.removeAllContentTypeParsers();
    // Nothing is parsed here, whatever its type: the handler decides, and the body stays on the wire until then.
    scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    scope.post(
      '/v1/services/:id/uploads',
      {
        config: { access: { role: 'Operator', of: serviceInPath } },
        schema: {
          operationId: 'createUpload',
          description: 'The body is a tar.zst archive of the build context. It goes away after its build.',
          consumes: mediaTypes,
          params: Type.Object({ id: Type.String() }),
          response: { 201: UploadResource },
        },
      },
      async (request, reply) => {
        checkMediaType(request);
        await livingService(api.store, serviceOf(request).id);
        await api.garbage.requireRoom();
        const staged = await stage({ ...api, firstAnswer }, serviceOf(request), request, reply);
        return 'body' in staged ? replay(reply, staged) : reply.code(201).send(uploadView(staged));
      },
    );
    done();
  });
}

function checkMediaType({ headers }: FastifyRequest): void {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== undefined && mediaTypes.includes(type)) return;
  throw new ProblemError('bad_request', `Send a tar.zst archive as Content-Type: ${mediaTypes[0] ?? ''}.`);
}

/**
 * Whatever goes wrong on the way, the loss of the right to do it included, nothing stays behind; nor does the second copy of
 * what an Idempotency-Key has brought before, for which the first answer is returned.
 */
async function stage(
  { store, uploads, newId, stopping, firstAnswer }: ApiContext & { firstAnswer: FirstAnswer },
  service: Row<'Service'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Row<'Upload'> | StoredAnswer> {
  const id = newId('upload');
  const discard = () => uploads.discard(id).catch((cause: unknown) => notRemoved(request, id, cause));
  const access = accessWatch(request);
  const broken = new AbortController();
  const leave = () => broken.abort(new ProblemError('bad_request', 'The upload broke off.'));
  const stop = () =>
    broken.abort(
      new ProblemError('unavailable', 'The node is stopping. Push again in a moment.', { retryAfter: 5 }),
    );
  reply.raw.once('close', leave);
  const refuse = () => broken.abort(access.signal.reason);
  stopping.addEventListener('abort', stop, { once: true });
  access.signal.addEventListener('abort', refuse, { once: true });
  if (stopping.aborted) stop();
  try {
    const facts = await uploads.receive(id, detachBody(request.raw), broken.signal);
    await access.check();
    const first = await firstAnswer(request, facts.sha256);
    if (first) {
      await discard();
      return first;
    }
    return await store.write(async (writer) => {
      broken.signal.throwIfAborted();
      await livingService(writer, service.id);
      const spec = { service_id: service.id, ...facts };
      return writer.create('Upload', { id, name: id, owner: service.id, spec, status: { conditions: [] } });
    });
  } catch (error) {
    await discard();
    // Why it was aborted says more than how the receiver noticed.
    throw broken.signal.aborted ? broken.signal.reason : error;
  } finally {
    reply.raw.off('close', leave);
    stopping.removeEventListener('abort', stop);
    access.stop();
  }
}

function notRemoved({ log }: FastifyRequest, id: string, cause: unknown): void {
  log.error({ err: cause, upload_id: id }, 'a refused upload was not removed; it goes with its age');
}
