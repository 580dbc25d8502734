/** Reads of rows, alike inside and outside a transaction. */
import type { Session } from './connection.ts';
import type { ResourceQueries } from './queries.ts';
import { decodeRow } from './rows.ts';
import type { ResourceRow } from './schema.ts';
import type { Reader } from './store.ts';
import type { Kind, Row } from '../../specs/index.ts';

export function readerOf(session: Session, queries: Record<Kind, ResourceQueries>): Reader {
  const decode = <K extends Kind>(kind: K, rows: unknown[]): Row<K>[] =>
    rows.map((row) => decodeRow(kind, row as ResourceRow));
  return {
    async get(kind, id) {
      return decode(kind, await session.all(queries[kind].byId(id)))[0];
    },
    async find(kind, owner, name) {
      // Two queries, because each is answered by an index; the second is rare.
      const living = await session.all(queries[kind].living(owner ?? '', name));
      const rows = living.length > 0 ? living : await session.all(queries[kind].newest(owner ?? '', name));
      return decode(kind, rows)[0];
    },
    async list(kind, options = {}) {
      return decode(kind, await session.all(queries[kind].list(options)));
    },
  };
}
