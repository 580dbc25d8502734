/**
 * First answers by Idempotency-Key. Their bodies are sealed: one may hold a token that is shown once. With it goes the digest
 * of the request's body, so that a request is known again after the node key was rotated.
 */
import { ProblemError } from '../../specs/problem.ts';
import type { Connection, Session } from './connection.ts';
import type { IdempotencyRow, QueryBuilder } from './schema.ts';
import { SealedValueError } from './vault.ts';
import type { Sealing } from './vault/sealing.ts';

export interface IdempotentRequest {
  /** Who asks: id of the user, or `bootstrap`. Keys of different principals never meet. */
  principal: string;
  key: string;
  /** Method and route pattern with its path parameters filled in. */
  route: string;
  /** SHA-256 of the body. It may be guessed at, and is never stored in the clear. */
  digest: string;
  /** The digest, keyed. Another one under another node key. */
  body_hash: string;
  /** RFC 3339. */
  at: string;
}

export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * `new`: this request is the first and now has the key. `running`: the first is still under way, or the node went down
 * in the middle of it. `differs`: the key was used for another request. `done`: here is the first answer.
 */
export type Claim = { state: 'new' | 'running' | 'differs' } | { state: 'done'; answer: StoredAnswer };

export interface Idempotency {
  /** Throws `conflict` when the first answer cannot be read any more. */
  claim(request: IdempotentRequest): Promise<Claim>;
  /** Keeps the answer. Durable when it resolves. */
  finish(request: IdempotentRequest, answer: StoredAnswer): Promise<void>;
  /** Gives the key back: the request failed and may be tried again. */
  release(request: IdempotentRequest): Promise<void>;
  /** Drops what is older than `before` (RFC 3339). @returns how many */
  prune(before: string): Promise<number>;
}

/** The only version: an answer is never given twice. */
const version = 1;

export function idempotencyOf(connection: Connection, db: QueryBuilder, sealing: Sealing): Idempotency {
  const rowOf = async (session: Session, { principal, key }: IdempotentRequest) => {
    const query = db.selectFrom('idempotency').selectAll().where('principal', '=', principal);
    return ((await session.all(query.where('key', '=', key).compile())) as IdempotencyRow[])[0];
  };
  return {
    claim: (request) =>
      connection.transaction(async (session) => {
        const { principal, key, route, digest, body_hash, at } = request;
        const row = await rowOf(session, request);
        if (!row) {
          const started = { principal, key, route, body_hash, status: null, headers: null, created_at: at };
          await session.run(db.insertInto('idempotency').values(started).compile());
          return { state: 'new' };
        }
        if (row.route !== route) return { state: 'differs' };
        const isSame = row.body_hash === body_hash;
        if (row.status === null) return { state: isSame ? 'running' : 'differs' };
        const { body, digest: first } = await openKept(session, sealing, request);
        if (!isSame && first !== digest) return { state: 'differs' };
        const headers = JSON.parse(row.headers ?? '{}') as Record<string, string>;
        return { state: 'done', answer: { status: row.status, headers, body } };
      }),
    async finish(request, { status, headers, body }) {
      await connection.transaction(async (session) => {
        const { principal: owner, key: name, digest, at } = request;
        const row = await rowOf(session, request);
        if (row?.status !== null || !isHeld(row, request)) return;
        const value = JSON.stringify({ body, digest } satisfies Kept);
        // Answers are not masked anywhere, so that nothing is to be done after the commit.
        const seals = sealing.within(session, at, []);
        await seals.dropSealed(owner, { kind: 'answer', name });
        await seals.seal({ kind: 'answer', owner, name, project: '', value });
        const answered = db.updateTable('idempotency').set({ status, headers: JSON.stringify(headers) });
        await session.run(answered.where('principal', '=', owner).where('key', '=', name).compile());
      });
    },
    async release(request) {
      await connection.transaction(async (session) => {
        const row = await rowOf(session, request);
        if (row?.status !== null || !isHeld(row, request)) return;
        const claimed = db.deleteFrom('idempotency').where('principal', '=', request.principal);
        await session.run(claimed.where('key', '=', request.key).compile());
      });
    },
    prune: (before) =>
      connection.transaction(async (session) => {
        const old = db.deleteFrom('idempotency').where('created_at', '<', before).compile();
        const count = await session.run(old);
        await session.run(orphans(db).compile());
        return count;
      }),
  };
}

/** Sealed. */
interface Kept {
  body: string;
  digest: string | null;
}

function isHeld(row: IdempotencyRow, { route, body_hash }: IdempotentRequest): boolean {
  return row.route === route && row.body_hash === body_hash;
}

async function openKept(
  session: Session,
  sealing: Sealing,
  { principal: owner, key: name }: IdempotentRequest,
): Promise<Kept> {
  try {
    const sealed = await sealing.open(session, { kind: 'answer', owner, name, version });
    const kept = JSON.parse(sealed) as Kept | string;
    // An older program kept the body alone.
    return typeof kept === 'string' ? { body: kept, digest: null } : kept;
  } catch (cause) {
    if (!(cause instanceof SealedValueError)) throw cause;
    throw new ProblemError(
      'conflict',
      'This request was carried out, but its answer cannot be read any more. Look at what it made, and use a new Idempotency-Key.',
      { cause },
    );
  }
}

/** Answers whose key is gone. */
function orphans(db: QueryBuilder) {
  return db
    .deleteFrom('sealed')
    .where('kind', '=', 'answer')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('idempotency')
            .select('idempotency.key')
            .whereRef('idempotency.principal', '=', 'sealed.owner')
            .whereRef('idempotency.key', '=', 'sealed.name'),
        ),
      ),
    );
}
