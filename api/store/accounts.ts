/** Users and their tokens. Secrets come here hashed and leave here only to be compared. */
import type { Role } from '../../specs/account.ts';
import type { MemberRow, TokenRow, UserRow } from './schema.ts';

export type UserRecord = Omit<UserRow, 'super_admin'> & { super_admin: boolean };
/** `hash` is the SHA-256 of the token in hexadecimal. Times are RFC 3339; `expires_at` null means never. */
export type TokenRecord = TokenRow;

export type MemberRecord = MemberRow;

/** What a change of a user takes away with it, in the same transaction. */
export interface Revocation {
  /** All tokens, or sessions only. */
  kinds: 'all' | 'sessions';
  /** Id of a token that stays. */
  except?: string | undefined;
}

export interface Page {
  limit?: number;
  /** Only what is older than this id. */
  before?: string;
}

export interface Accounts {
  countUsers(): Promise<number>;
  /** Adds a user if there is none at all, atomically. @returns whether it did */
  createFirstUser(user: UserRecord): Promise<boolean>;
  /** Throws ProblemError `conflict` when the username is taken. */
  createUser(user: UserRecord): Promise<void>;
  getUser(id: string): Promise<UserRecord | undefined>;
  findUser(username: string): Promise<UserRecord | undefined>;
  /** Newest first. */
  listUsers(page?: Page): Promise<UserRecord[]>;
  /**
   * Changes a user and raises its version. Throws `not_found`, `precondition_failed` (`ifVersion`), and `conflict` when
   * the last super-admin would be none.
   */
  updateUser(
    id: string,
    change: Partial<Pick<UserRecord, 'password_hash' | 'super_admin'>>,
    options: { at: string; ifVersion?: number | undefined; revoke?: Revocation },
  ): Promise<UserRecord>;
  /** Only the stronger hash of the same password: no new version, nothing revoked; nothing if the hash is no longer `from`. */
  rehash(id: string, from: string, to: string): Promise<void>;
  /** Takes tokens and memberships with it. Throws as updateUser; `not_found` when it is gone already. */
  deleteUser(id: string, options?: { ifVersion?: number | undefined }): Promise<void>;

  /**
   * With `ifUserVersion` only while the user has that version: a login that was checked against a password which is
   * changed meanwhile must not outlive the revocation. Throws `conflict` then.
   */
  createToken(token: TokenRecord, options?: { ifUserVersion?: number | undefined }): Promise<void>;
  /** Expired ones too: whether a token is still good is the caller's to say. */
  findToken(hash: string): Promise<TokenRecord | undefined>;
  /** Newest first. */
  listTokens(userId: string, kind: TokenRecord['kind'], page?: Page): Promise<TokenRecord[]>;
  /** Does nothing if it is gone. */
  deleteToken(id: string): Promise<void>;
  /** Notes that a token was used. Writes nothing (and waits for no disk) if a use less than a minute before `at` is noted. */
  touchToken(id: string, at: string): Promise<void>;
  /** Removes sessions that expired before `at`, or were not used since `idleSince` (all RFC 3339). @returns how many */
  deleteExpiredSessions(at: string, idleSince: string): Promise<number>;

  /** Of a user, in every project. */
  membershipsOf(userId: string): Promise<MemberRecord[]>;
  /** Newest first (by user id). */
  listMembers(projectId: string, page?: Page): Promise<(MemberRecord & { username: string })[]>;
  getMember(projectId: string, userId: string): Promise<MemberRecord | undefined>;
  /**
   * Adds a member or changes its role. Throws `not_found` when there is no such user, and `conflict` when the project's
   * last Admin would be none.
   */
  putMember(member: {
    project_id: string;
    user_id: string;
    role: Role;
    at: string;
  }): Promise<{ member: MemberRecord; created: boolean }>;
  /** Throws `not_found`, and `conflict` for the last Admin. */
  removeMember(projectId: string, userId: string): Promise<void>;

  /** Told after the commit that what this user may do has shrunk or a token of theirs is gone. @returns unsubscribe */
  onAccessChange(listener: (userId: string) => void): () => void;
}
