/** The audit's table: entries are added, read, and dropped when they are too old; nothing changes one. */
import type { AuditEntry } from '../../specs/audit.ts';
import type { Connection } from './connection.ts';
import type { AuditRow, QueryBuilder } from './schema.ts';
import type { Query } from './statements.ts';

export interface AuditFilter {
  limit?: number;
  /** Only older than this id. */
  before?: string;
  user_id?: string;
  username?: string;
  project_id?: string;
  /** From this time on (RFC 3339). */
  since?: string;
  /** Before this time (RFC 3339). */
  until?: string;
  /** Only what was done (status below 400), or only what was refused. */
  result?: 'done' | 'refused';
}

export interface Audit {
  /** On the disk when it resolves, unless lazy (see Store.write). */
  append(entry: AuditEntry, options?: { lazy?: boolean }): Promise<void>;
  /** Newest first. */
  list(filter?: AuditFilter): Promise<AuditEntry[]>;
  /** Drops what is older than `before` (RFC 3339). @returns how many */
  prune(before: string): Promise<number>;
}

export function auditOf(connection: Connection, db: QueryBuilder): Audit {
  return {
    async append(entry, { lazy = false } = {}) {
      const row: AuditRow = { ...entry, fields: JSON.stringify(entry.fields) };
      const insert = db.insertInto('audit').values(row).compile();
      await connection.transaction((session) => session.run(insert), { lazy });
    },
    async list(filter = {}) {
      const rows = (await connection.all(listQuery(db, filter))) as AuditRow[];
      return rows.map((row) => ({ ...row, fields: JSON.parse(row.fields) as string[] }));
    },
    prune(before) {
      const old = db.deleteFrom('audit').where('at', '<', before).compile();
      return connection.transaction((session) => session.run(old));
    },
  };
}

function listQuery(db: QueryBuilder, filter: AuditFilter): Query {
  const { limit, before, user_id, username, project_id, since, until, result } = filter;
  let query = db.selectFrom('audit').selectAll().orderBy('id', 'desc');
  if (before !== undefined) query = query.where('id', '<', before);
  if (user_id !== undefined) query = query.where('user_id', '=', user_id);
  if (username !== undefined) query = query.where('username', '=', username);
  if (project_id !== undefined) query = query.where('project_id', '=', project_id);
  if (since !== undefined) query = query.where('at', '>=', since);
  if (until !== undefined) query = query.where('at', '<', until);
  if (result !== undefined) query = query.where('status', result === 'done' ? '<' : '>=', 400);
  if (limit !== undefined) query = query.limit(limit);
  return query.compile();
}
