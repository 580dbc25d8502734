/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a client that does not know whether its request got
 * through sends it again with the same key, and gets the first answer instead of a second thing.
 *
 * Only what was done is kept, for a day: a refused request changed nothing, gives the key back and may be sent again, corrected or not.
 * A replay goes through authentication and the access check like any request.
 */
import { createHash, createHmac } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../specs/clock.ts';
import { timestamp } from '../../specs/meta.ts';
import { ProblemError } from '../../specs/problem.ts';
import { canonicalJson } from '../../specs/revision.ts';
import { principalOf } from '../auth/principal.ts';
import type { ApiDeps, App } from '../context.ts';
import type { IdempotentRequest, StoredAnswer } from '../store/idempotency.ts';

/** How long a second request waits for the first to be done. */
const patienceMs = 5_000;

const wellFormed = /^[\x21-\x7e]{1,255}$/;
const keptHeaders = ['content-type', 'etag', 'location'];

/** A request that holds a key, until it is answered. */
interface Held {
  request: IdempotentRequest;
  letGo: () => void;
}

declare module 'fastify' {
  interface FastifyRequest {
    heldKey: Held | null;
  }
}

/** What the rule of which routes take a key looks at. */
interface RouteFacts {
  method: string | string[];
  config?: { access?: unknown };
  schema?: { response?: unknown };
}

/** Every POST that creates (201) or is carried out later (202), of who has an identity that keys can belong to. */
export function takesIdempotencyKey({ method, config, schema }: RouteFacts): boolean {
  const response = (schema?.response ?? {}) as Record<string, unknown>;
  return (
    method === 'POST' &&
    config?.access !== 'public' &&
    config?.access !== 'bootstrap' &&
    (response['201'] !== undefined || response['202'] !== undefined)
  );
}

/**
 * The answer to an earlier request with the same key, if there is one; else this request holds its key from now on.
 * A route that streams its body (`schema.consumes`) asks by itself, when it knows the body; for all others it is done.
 * Throws `conflict` while the first is under way, `invalid` when the key was used for another request.
 * @param bodyHash SHA-256, hexadecimal
 */
export type FirstAnswer = (request: FastifyRequest, bodyHash: string) => Promise<StoredAnswer | undefined>;

export function idempotentAnswers(app: App, deps: Deps): FirstAnswer {
  const { idempotency } = deps;
  const firstAnswer = keyHolder(deps);
  app.decorateRequest('heldKey', null);
  app.addHook('onRequest', (request, _reply, done) => {
    const key = keyOf(request);
    const isRight = key === undefined || wellFormed.test(key);
    done(
      isRight
        ? undefined
        : new ProblemError('bad_request', 'Idempotency-Key takes 1 to 255 visible ASCII characters.'),
    );
  });
  app.addHook('preHandler', async (request, reply) => {
    if (keyOf(request) === undefined || request.routeOptions.schema?.consumes !== undefined) return;
    const hash = createHash('sha256').update(canonicalJson({ query: request.query, body: request.body }));
    const first = await firstAnswer(request, hash.digest('hex'));
    if (first) return replay(reply, first);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const held = request.heldKey;
    if (held === null) return payload;
    request.heldKey = null;
    try {
      if (reply.statusCode < 400 && typeof payload === 'string') {
        await idempotency.finish(held.request, answerOf(reply, payload));
      } else await idempotency.release(held.request);
    } catch (error) {
      // It is done, or refused, all the same: the answer is true, only a repetition will be refused.
      request.log.error({ err: error }, 'the first answer to an Idempotency-Key was not kept');
    } finally {
      held.letGo();
    }
    return payload;
  });
  return firstAnswer;
}

type Deps = Pick<ApiDeps, 'idempotency' | 'clock' | 'nodeKey'>;

/** Sends the first answer again, and says so. */
export function replay(reply: FastifyReply, { status, headers, body }: StoredAnswer): FastifyReply {
  return reply.code(status).headers(headers).header('idempotent-replayed', 'true').send(body);
}

function keyHolder({ idempotency, clock, nodeKey }: Deps): FirstAnswer {
  const take = oneAtATime(clock);
  return async (request, bodyHash) => {
    const key = keyOf(request);
    if (key === undefined) return undefined;
    const principal = principalOf(request).user?.id ?? 'bootstrap';
    const letGo = await take(`${principal} ${key}`);
    // Under the node's key: a body may hold a password, and a plain hash of it would be there to be guessed at.
    const body_hash = createHmac('sha256', nodeKey()).update(`idempotency ${bodyHash}`).digest('hex');
    const route = `${request.method} ${request.url.split('?', 1).join()}`;
    const claimed = { principal, key, route, digest: bodyHash, body_hash, at: timestamp(clock.now()) };
    try {
      const claim = await idempotency.claim(claimed);
      if (claim.state === 'new') {
        request.heldKey = { request: claimed, letGo };
        return undefined;
      }
      letGo();
      if (claim.state === 'done') return claim.answer;
      throw claim.state === 'differs' ? usedOtherwise() : outcomeUnknown();
    } catch (error) {
      letGo();
      throw error;
    }
  };
}

/** @returns takes a name as soon as nobody has it, or throws `conflict`; what it answers gives the name back */
function oneAtATime(clock: Clock): (name: string) => Promise<() => void> {
  const taken = new Map<string, Promise<void>>();
  return async (name) => {
    const { promise: tooLong, resolve: giveUp } = Promise.withResolvers<'too long'>();
    const cancel = taken.has(name) ? clock.after(patienceMs, () => giveUp('too long')) : () => undefined;
    try {
      for (let other = taken.get(name); other; other = taken.get(name)) {
        if ((await Promise.race([other, tooLong])) === 'too long') throw stillRunning();
      }
      // Nothing is awaited between the last look and this.
      const { promise, resolve } = Promise.withResolvers<void>();
      taken.set(name, promise);
      return () => {
        if (taken.get(name) === promise) taken.delete(name);
        resolve();
      };
    } finally {
      cancel();
    }
  };
}

function keyOf({ headers, routeOptions }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined || !takesIdempotencyKey(routeOptions)) return undefined;
  return String(key);
}

function answerOf(reply: FastifyReply, body: string): StoredAnswer {
  const headers = keptHeaders.flatMap((name) => {
    const value = reply.getHeader(name);
    return value === undefined ? [] : [[name, String(value)] as const];
  });
  return { status: reply.statusCode, headers: Object.fromEntries(headers), body };
}

function stillRunning(): ProblemError {
  return new ProblemError(
    'conflict',
    'The first request with this Idempotency-Key is still under way. Try again.',
    {
      retryAfter: 1,
    },
  );
}

function usedOtherwise(): ProblemError {
  return new ProblemError(
    'invalid',
    'This Idempotency-Key was used for another request. Take a new key for every new request.',
  );
}

/** Nobody in this process holds the key, and yet it is taken: the node went down before it could keep the answer. */
function outcomeUnknown(): ProblemError {
  return new ProblemError(
    'conflict',
    'The node went down during the first request with this Idempotency-Key, and may have carried it out. ' +
      'Look whether it did; if not, send it again with a new key.',
  );
}
