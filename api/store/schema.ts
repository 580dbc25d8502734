/** What the rows of each table look like to the query builder: the columns of entities.ts, as the driver gives them. */
import type { Kysely } from '@mikro-orm/sqlite';
import type { tableOf } from './entities.ts';

/** A row of a kind. `spec` and `status` are JSON texts, `owner` is `''` for none. */
export interface ResourceRow {
  id: string;
  name: string;
  owner: string;
  generation: number;
  observed_generation: number;
  version: number;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
  spec: string;
  status: string;
}

export interface UserRow {
  id: string;
  username: string;
  password_hash: string;
  /** 0 or 1 when SQLite answers it. */
  super_admin: boolean | number;
  created_at: string;
}

export interface TokenRow {
  id: string;
  kind: 'session' | 'api';
  user_id: string;
  name: string;
  hash: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
}

type Table = (typeof tableOf)[keyof typeof tableOf];

export type Schema = Record<Table, ResourceRow> & {
  user: UserRow;
  token: TokenRow;
  meta: { name: string; value: string };
};

/** Builds queries; they run through a Session of connection.ts. */
export type QueryBuilder = Kysely<Schema>;
