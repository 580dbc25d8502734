/** Accounts to put into a store: aToken() is one of aUser(). */
import type { TokenRecord, UserRecord } from '../../api/store/accounts.ts';
import { anId } from './store.ts';

const at = '2030-01-01T00:00:00.000Z';

/** A super-admin, unless said otherwise. */
export function aUser(said: Partial<UserRecord> = {}): UserRecord {
  const identity = { id: anId('user'), username: 'ada', password_hash: '$argon2id$…', super_admin: true };
  return { ...identity, created_at: at, version: 1, updated_at: at, ...said };
}

/** The n-th token, an API token that never expires unless said otherwise. */
export function aToken(n: number, said: Partial<TokenRecord> = {}): TokenRecord {
  const identity = { id: anId('token', n), kind: 'api', user_id: anId('user'), name: `token ${n}` } as const;
  const times = { created_at: at, expires_at: null, last_used_at: null };
  const hash = String(n).padStart(64, '0');
  return { ...identity, hash, ...times, project_id: null, role: null, ...said };
}
