/** The events' table: what controllers did. One equal to one of the last two of its object within ten minutes is counted there. */
import type { Clock, Random } from '../../specs/clock.ts';
import type { Event, NewEvent } from '../../specs/event.ts';
import { newId, timestamp } from '../../specs/meta.ts';
import type { Connection, WriteSession } from './connection.ts';
import type { EventRow, QueryBuilder } from './schema.ts';
import type { Query } from './statements.ts';

export interface EventFilter {
  limit?: number;
  /** Only older than this id. */
  before?: string;
  kind?: string;
  /** Id of the object. */
  object?: string;
  service_id?: string;
  project_id?: string;
}

export interface Events {
  /** Lazy (see Store.write): a power cut may take the last ones. */
  append(event: NewEvent): Promise<void>;
  /** Newest first, by when each was seen first. */
  list(filter?: EventFilter): Promise<Event[]>;
  /** Drops what was last seen before `before` (RFC 3339), and the oldest beyond `keep`. @returns how many */
  prune(before: string, keep: number): Promise<number>;
}

/** As Kubernetes does, which counts equal events within ten minutes as one. Milliseconds. */
const sameWithin = 600_000;
/** Two: what dies and answers again and again says two things in turn. More would hide the order in which things happened. */
const sameAmong = 2;

export function eventsOf(connection: Connection, db: QueryBuilder, clock: Clock, random: Random): Events {
  return {
    async append(event) {
      const now = clock.now();
      await connection.transaction((session) => append(session, { db, event, now, random }), { lazy: true });
    },
    list: async (filter = {}) => (await connection.all(listQuery(db, filter))) as Event[],
    prune: (before, keep) =>
      connection.transaction(async (session) => {
        const old = await session.run(db.deleteFrom('event').where('last_at', '<', before).compile());
        const kept = db.selectFrom('event').select('id').orderBy('id', 'desc').limit(1).offset(keep);
        const [first] = (await session.all(kept.compile())) as Pick<EventRow, 'id'>[];
        if (!first) return old;
        return old + (await session.run(db.deleteFrom('event').where('id', '<=', first.id).compile()));
      }),
  };
}

interface Appending {
  db: QueryBuilder;
  event: NewEvent;
  /** Milliseconds since the epoch. */
  now: number;
  random: Random;
}

async function append(session: WriteSession, { db, event, now, random }: Appending): Promise<void> {
  const last = db.selectFrom('event').selectAll().where('object', '=', event.object).orderBy('id', 'desc');
  const newest = (await session.all(last.limit(sameAmong).compile())) as EventRow[];
  const at = timestamp(now);
  const since = timestamp(now - sameWithin);
  const same = newest.find((row) => isSame(row, event) && row.last_at >= since);
  if (same) {
    const counted = db.updateTable('event').set({ count: same.count + 1, last_at: at });
    await session.run(counted.where('id', '=', same.id).compile());
    return;
  }
  const row: EventRow = { ...event, id: newId('event', now, random(10)), at, last_at: at, count: 1 };
  await session.run(db.insertInto('event').values(row).compile());
}

function isSame(row: EventRow, event: NewEvent): boolean {
  return row.reason === event.reason && row.message === event.message && row.type === event.type;
}

function listQuery(db: QueryBuilder, filter: EventFilter): Query {
  const { limit, before, kind, object, service_id, project_id } = filter;
  let query = db.selectFrom('event').selectAll().orderBy('id', 'desc');
  if (before !== undefined) query = query.where('id', '<', before);
  if (kind !== undefined) query = query.where('kind', '=', kind);
  if (object !== undefined) query = query.where('object', '=', object);
  if (service_id !== undefined) query = query.where('service_id', '=', service_id);
  if (project_id !== undefined) query = query.where('project_id', '=', project_id);
  if (limit !== undefined) query = query.limit(limit);
  return query.compile();
}
