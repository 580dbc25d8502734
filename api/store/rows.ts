/** Between a row of a table and a row as everybody sees it. Pure. */
import type { Kind, Kinds, Row } from '../../specs/index.ts';
import type { ResourceRow } from './schema.ts';

/** Columns in the order in which an insert binds them. */
export const columns = [
  'id',
  'name',
  'owner',
  'generation',
  'observed_generation',
  'version',
  'created_at',
  'updated_at',
  'deleted_at',
  'spec',
  'status',
] as const satisfies readonly (keyof ResourceRow)[];

export function decodeRow<K extends Kind>(kind: K, row: ResourceRow): Row<K> {
  return {
    kind,
    id: row.id,
    name: row.name,
    owner: row.owner === '' ? null : row.owner,
    generation: row.generation,
    observed_generation: row.observed_generation,
    version: row.version,
    created_at: row.created_at,
    updated_at: row.updated_at,
    deleted_at: row.deleted_at,
    spec: JSON.parse(row.spec) as Kinds[K]['spec'],
    status: JSON.parse(row.status) as Kinds[K]['status'],
  };
}

export function encodeRow<K extends Kind>(row: Row<K>): ResourceRow {
  return {
    id: row.id,
    name: row.name,
    owner: row.owner ?? '',
    generation: row.generation,
    observed_generation: row.observed_generation,
    version: row.version,
    created_at: row.created_at,
    updated_at: row.updated_at,
    deleted_at: row.deleted_at,
    spec: JSON.stringify(row.spec),
    status: JSON.stringify(row.status),
  };
}

/** What a row holds once it is written and read again: no undefined members, nothing shared with the argument. */
export function asStored<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
