/** The queries of every kind, made once: what is left for each call is to bind its values. */
import { kinds, type Kind } from '../../specs/index.ts';
import type { Query } from './statements.ts';
import { tableOf } from './entities.ts';
import { columns } from './rows.ts';
import type { QueryBuilder, ResourceRow } from './schema.ts';
import type { ListOptions } from './store.ts';

export interface ResourceQueries {
  byId(id: string): Query;
  /** The living row of that name; there is at most one. */
  living(owner: string, name: string): Query;
  /** The newest row of that name, living or not. */
  newest(owner: string, name: string): Query;
  list(options: ListOptions): Query;
  insert(row: ResourceRow): Query;
  /** Writes what changes in a living row. */
  update(row: ResourceRow): Query;
  markDeleted(row: ResourceRow): Query;
  remove(id: string): Query;
}

/** Columns that an update sets, in order; none that is in an index. */
const updated = ['generation', 'observed_generation', 'version', 'updated_at', 'spec', 'status'] as const;
const deleted = ['generation', 'version', 'updated_at', 'deleted_at'] as const;

/** Any values: only the text of the query is kept. */
const valuesOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '']));

function queriesOf(db: QueryBuilder, kind: Kind): ResourceQueries {
  const table = tableOf[kind];
  const select = db.selectFrom(table).selectAll();
  const named = select.where('owner', '=', '').where('name', '=', '');
  const byId = select.where('id', '=', '').compile().sql;
  const living = named.where('deleted_at', 'is', null).compile().sql;
  const newest = named.orderBy('id', 'desc').limit(1).compile();
  const insert = db
    .insertInto(table)
    .values(valuesOf(columns) as unknown as ResourceRow)
    .compile().sql;
  const update = db.updateTable(table).set(valuesOf(updated)).where('id', '=', '').compile().sql;
  const markDeleted = db.updateTable(table).set(valuesOf(deleted)).where('id', '=', '').compile().sql;
  const remove = db.deleteFrom(table).where('id', '=', '').compile().sql;
  return {
    byId: (id) => ({ sql: byId, parameters: [id] }),
    living: (owner, name) => ({ sql: living, parameters: [owner, name] }),
    newest: (owner, name) => ({ sql: newest.sql, parameters: [owner, name, 1] }),
    insert: (row) => ({ sql: insert, parameters: columns.map((column) => row[column]) }),
    update: (row) => ({ sql: update, parameters: [...updated.map((column) => row[column]), row.id] }),
    markDeleted: (row) => ({
      sql: markDeleted,
      parameters: [...deleted.map((column) => row[column]), row.id],
    }),
    remove: (id) => ({ sql: remove, parameters: [id] }),
    list({ owner, name, limit, before }) {
      let query = select.orderBy('id', 'desc');
      if (owner !== undefined) query = query.where('owner', '=', owner);
      if (name !== undefined) query = query.where('name', '=', name);
      if (before !== undefined) query = query.where('id', '<', before);
      if (limit !== undefined) query = query.limit(limit);
      return query.compile();
    },
  };
}

export function resourceQueries(db: QueryBuilder): Record<Kind, ResourceQueries> {
  return Object.fromEntries(kinds.map((kind) => [kind, queriesOf(db, kind)])) as Record<
    Kind,
    ResourceQueries
  >;
}
