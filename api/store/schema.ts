/** What the rows of each table look like to the query builder: the columns of entities.ts, as the driver gives them. */
import type { Kysely } from '@mikro-orm/sqlite';
import type { Role } from '../../specs/account.ts';
import type { Event } from '../../specs/event.ts';
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
  /** Raised by one at every write; the ETag. */
  version: number;
  updated_at: string;
}

export interface MemberRow {
  project_id: string;
  user_id: string;
  role: Role;
  created_at: string;
  updated_at: string;
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
  /** The only project that it reaches; null for all of its owner's. */
  project_id: string | null;
  /** The most that it may do; null for all that its owner may. */
  role: Role | null;
}

export interface LoginFailureRow {
  key: string;
  failures: number;
  last_at: string;
}

export interface NodeKeyRow {
  version: number;
  fingerprint: string;
  created_at: string;
}

export interface SealedRow {
  kind: string;
  owner: string;
  name: string;
  version: number;
  project: string;
  key_version: number;
  box: string;
  created_at: string;
}

/** `fields` is a JSON text. */
export interface AuditRow {
  id: string;
  at: string;
  token_kind: string | null;
  token_id: string | null;
  user_id: string | null;
  username: string | null;
  address: string;
  method: string;
  route: string;
  project_id: string | null;
  object: string | null;
  object_name: string | null;
  fields: string;
  status: number;
  code: string | null;
  detail: string | null;
  request_id: string;
  count: number;
}

export type EventRow = Event;

/** `headers` is a JSON text. */
export interface IdempotencyRow {
  principal: string;
  key: string;
  route: string;
  body_hash: string;
  status: number | null;
  headers: string | null;
  created_at: string;
}

type Table = (typeof tableOf)[keyof typeof tableOf];

export type Schema = Record<Table, ResourceRow> & {
  user: UserRow;
  token: TokenRow;
  member: MemberRow;
  login_failure: LoginFailureRow;
  node_key: NodeKeyRow;
  sealed: SealedRow;
  audit: AuditRow;
  event: EventRow;
  idempotency: IdempotencyRow;
  meta: { name: string; value: string };
};

/** Builds queries; they run through a Session of connection.ts. */
export type QueryBuilder = Kysely<Schema>;
